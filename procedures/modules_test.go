package procedures

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"slices"
	"testing"
)

// TestLibraryLeadsNowhere follows the attributes of everything that code may use, in CPython, and of what it can make
// of it. No path that the rules let through may lead to a module, a frame, an event loop or the tools object.
func TestLibraryLeadsNowhere(t *testing.T) {
	modules := map[string][]string{}
	for module, names := range allowedModules {
		modules[module] = slices.Sorted(maps.Keys(names))
	}
	denied := slices.Concat(slices.Sorted(maps.Keys(reflective)), []string{"format", "format_map"})
	leaks := lookForLeaks(t, modules, denied, reflectivePrefixes)
	for _, leak := range leaks {
		t.Errorf("%s is %s", leak[0], leak[1])
	}
	if leaks := lookForLeaks(t, modules, []string{}, []string{}); len(leaks) < 5 {
		t.Errorf("without the rules only %v is found: the test shows little", leaks)
	}
}

func lookForLeaks(t *testing.T, modules map[string][]string, denied, prefixes []string) [][2]string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal("python3 is needed as the oracle of these tests: ", err)
	}
	input, err := json.Marshal(map[string]any{
		"modules": modules, "builtins": slices.Sorted(maps.Keys(allowedBuiltins)), "denied": denied, "prefixes": prefixes,
	})
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), python, "-I", "testdata/leaks.py")
	command.Stdin = bytes.NewReader(input)
	var diagnosis bytes.Buffer
	command.Stderr = &diagnosis
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, diagnosis.String())
	}
	var leaks [][2]string
	if err := json.Unmarshal(output, &leaks); err != nil {
		t.Fatal(err)
	}
	return leaks
}
