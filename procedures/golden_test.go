package procedures

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestFindingsGolden pins what is told about every attack: the code of a finding, its place and its sentence.
func TestFindingsGolden(t *testing.T) {
	var out bytes.Buffer
	for _, code := range readAttacks(t) {
		fmt.Fprintf(&out, "%s\n", code)
		got, err := Analyze(code)
		if err != nil {
			fmt.Fprintf(&out, "=> refused: %v\n\n", err)
			continue
		}
		fmt.Fprintf(&out, "=> proven %v, tools %v, inputs %v\n", got.Proven, got.Signature, got.Inputs)
		for _, f := range got.Findings {
			fmt.Fprintf(&out, "   %d:%d %s %s\n", f.Line, f.Column, f.Code, f.Message)
		}
		out.WriteByte('\n')
	}
	const path = "testdata/findings.golden"
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("the findings differ from %s; look at them, and run the test with -update", path)
	}
}
