package integration

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Every command of the README's tour works as written; only the address and the folder are the test's own.
func TestReadmeTour(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tour, _ := strings.Cut(string(readme), "\n## Five minutes\n")
	tour, _, _ = strings.Cut(tour, "\n## ")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(tour, -1)
	if len(blocks) < 6 {
		t.Fatalf("the tour has %d blocks of commands", len(blocks))
	}
	s := start(t, "", "--demo")
	script := "set -euo pipefail\n"
	for _, b := range blocks {
		script += b[1]
	}
	script = strings.ReplaceAll(script, "http://127.0.0.1:8080", s.url)
	script = strings.ReplaceAll(script, "data/", s.data+"/")
	tourOf := exec.Command("bash", "-c", script)
	tourOf.Dir = ".."
	out, err := tourOf.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	want := []string{
		`"readOnly":true`,
		`"effect":"MUTATING","proven":true,"signature":["move_file","read_text_file"]`,
		`"effect":"UNPROVEN","proven":false`,
		`"status":"PROPOSED"`,
		`"status":"APPROVED"`,
		`"snippet":`,
		`"type":"INVESTIGATED_BY"`,
		`"applied":false`,
	}
	if len(answers) < len(want) {
		t.Fatalf("%d answers, want %d:\n%s", len(answers), len(want), out)
	}
	for i, a := range answers[:len(want)] {
		if strings.Contains(a, `"errors"`) || !strings.Contains(a, want[i]) {
			t.Errorf("answer %d is %s, want %s in it", i+1, a, want[i])
		}
	}
	told := strings.Join(answers[len(want):], "\n") // by the command line
	for _, wanted := range []string{
		`"label": "proc__get_file_info__read_text_file"`, `"toolName": "proc__get_file_info__read_text_file"`, `"applied": false`,
		`graph LR`, `"sha256"`, `"known"`,
	} {
		if !strings.Contains(told, wanted) {
			t.Errorf("the command line does not tell %s:\n%s", wanted, told)
		}
	}
}
