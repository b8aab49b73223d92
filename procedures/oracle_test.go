package procedures

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"testing"
)

// question is a program for the oracle.
type question struct {
	Code string `json:"code"`
	Run  bool   `json:"run"`
}

// verdict is what CPython makes of a program.
type verdict struct {
	Compiles bool     `json:"compiles"`
	Error    string   `json:"error"`
	Tree     string   `json:"tree"`     // a hash of the syntax tree
	Loads    []string `json:"loads"`    // the attributes that are read from the word tools
	Shadowed bool     `json:"shadowed"` // the word tools is bound somewhere
	Seen     []string `json:"seen"`     // what the running program asked the tools object for
}

// askPython hands programs to one Python process. Without Python these tests cannot judge anything, so they fail.
func askPython(tb testing.TB, questions []question) []verdict {
	tb.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		tb.Fatal("python3 is needed as the oracle of these tests: ", err)
	}
	input, err := json.Marshal(questions)
	if err != nil {
		tb.Fatal(err)
	}
	command := exec.CommandContext(tb.Context(), python, "-I", "testdata/oracle.py")
	command.Stdin = bytes.NewReader(input)
	var diagnosis bytes.Buffer
	command.Stderr = &diagnosis
	output, err := command.Output()
	if err != nil {
		tb.Fatalf("the oracle failed: %v\n%s", err, diagnosis.String())
	}
	var verdicts []verdict
	if err := json.Unmarshal(output, &verdicts); err != nil {
		tb.Fatalf("the oracle's answer: %v\n%s", err, diagnosis.String())
	}
	if len(verdicts) != len(questions) {
		tb.Fatalf("%d answers to %d questions", len(verdicts), len(questions))
	}
	return verdicts
}

// missed are the names that were seen and are not in the signature.
func missed(signature, seen []string) []string {
	var names []string
	for _, name := range seen {
		if !slices.Contains(signature, name) {
			names = append(names, name)
		}
	}
	return names
}

// checkAgainstPython analyses programs and runs them. Nothing that is proven may ask for a tool that is not in its
// signature.
func checkAgainstPython(t *testing.T, programs []string) (proven int) {
	t.Helper()
	questions := make([]question, len(programs))
	analyses := make([]*Analysis, len(programs))
	for i, code := range programs {
		analysis, err := Analyze(code)
		if err == nil {
			analyses[i] = analysis
			code = analysis.Code
		}
		questions[i] = question{Code: code, Run: err == nil && analysis.Proven}
	}
	invalid := 0
	for i, v := range askPython(t, questions) {
		a := analyses[i]
		if a == nil || !a.Proven {
			continue
		}
		proven++
		if !v.Compiles {
			invalid++
			if invalid <= 20 {
				t.Logf("proven, and CPython refuses it: %s\n%s", v.Error, a.Code)
			}
			continue
		}
		if names := missed(a.Signature, v.Seen); len(names) > 0 {
			t.Errorf("proven with %v, and asked for %v:\n%s", a.Signature, names, a.Code)
		}
		if names := missed(a.Signature, v.Loads); len(names) > 0 && !v.Shadowed {
			t.Errorf("proven with %v, and reads %v:\n%s", a.Signature, names, a.Code)
		}
	}
	t.Logf("%d of %d programs are proven; CPython refuses %d of those", proven, len(programs), invalid)
	return proven
}
