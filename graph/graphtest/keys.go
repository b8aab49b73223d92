package graphtest

import (
	"errors"
	"sync/atomic"

	"procgraph/graph"
)

var keyTests = []test{
	{"OneKeyCountsOnce", true, oneKeyCountsOnce},
	{"OneKeyTwoInputs", true, oneKeyTwoInputs},
	{"OtherInputIsConflict", false, otherInputIsConflict},
	{"FlagsRepeat", false, flagsRepeat},
	{"RepeatAnswersWhatIsStored", false, repeatAnswersWhatIsStored},
}

func oneKeyCountsOnce(f *fixture) {
	captures := make([]graph.Capture, crowd/2)
	one := serving(capture("await tools.a(); await tools.b()", "a", "b"), "cause 1", "cause 2")
	one = keyed(one)
	for i := range captures {
		captures[i] = one
	}
	answers := f.captureTogether(captures)
	if p, v := created(answers); p != len(answers) || v != len(answers) {
		f.Errorf("%d and %d answers say that they made something, want all %d: it is one capture", p, v, len(answers))
	}
	if p := f.procedure(one.ProcedureKey).Procedure; p.Frequency != 2 {
		f.Errorf("%d uses, want 2", p.Frequency)
	}
	for _, u := range f.uses(one.ProcedureKey) {
		if u.Frequency != 1 {
			f.Errorf("%s has %d uses, want 1", u.Cause, u.Frequency)
		}
	}
}

func oneKeyTwoInputs(f *fixture) {
	inputs := []graph.Capture{
		serving(capture("await tools.a()", "a"), "cause 1"),
		serving(capture("await tools.b()", "b"), "cause 2"),
	}
	inputs[0] = keyed(inputs[0])
	inputs[1].Key = inputs[0].Key
	var stored, refused [2]atomic.Int64
	f.together(crowd/2, func(worker int, store graph.Store) error {
		which := worker / 2 % 2
		_, err := store.Capture(f.Context(), inputs[which])
		switch {
		case err == nil:
			stored[which].Add(1)
		case errors.Is(err, graph.ErrConflict):
			refused[which].Add(1)
		default:
			return err
		}
		return nil
	})
	winner := 0
	if stored[1].Load() > 0 {
		winner = 1
	}
	if stored[winner].Load() != crowd/4 || refused[1-winner].Load() != crowd/4 {
		f.Errorf("stored %v and %v, refused %v and %v: one input has to win all", stored[0].Load(), stored[1].Load(), refused[0].Load(), refused[1].Load())
	}
	all := f.procedures()
	if len(all) != 1 || all[0].Procedure.Key != inputs[winner].ProcedureKey || all[0].Procedure.Frequency != 1 {
		f.Errorf("procedures %+v, want the winner's with one use", all)
	}
	same(f, "causes", f.causes(), inputs[winner].Causes)
	same(f, "tools", f.tools(), []graph.Tool{stub(inputs[winner].Signature[0])})
}

func otherInputIsConflict(f *fixture) {
	first := capture("await tools.a()", "a")
	first = keyed(first)
	f.capture(first)
	before := f.content()
	other := serving(capture("await tools.new_tool()", "new_tool"), "another cause")
	other.Key = first.Key
	_, err := f.store().Capture(f.Context(), other)
	f.wantError("a key with another input", err, graph.ErrConflict)
	sameCode := serving(first, "another cause")
	sameCode.Input = hash("another input")
	_, err = f.store().Capture(f.Context(), sameCode)
	f.wantError("a key with another input and the same code", err, graph.ErrConflict)
	same(f, "content after a conflict", f.content(), before)
}

func flagsRepeat(f *fixture) {
	made := capture("await tools.a(1)", "a")
	variant := capture("await tools.a(2)", "a")
	known := capture("await tools.a(1)", "a")
	made, variant, known = keyed(made), keyed(variant), keyed(known)
	for round := range 3 {
		for _, c := range []struct {
			what               string
			capture            graph.Capture
			procedure, variant bool
		}{
			{"the first", made, true, true},
			{"another code", variant, false, true},
			{"a known code", known, false, false},
		} {
			got := f.capture(c.capture)
			if got.CreatedProcedure != c.procedure || got.CreatedVariant != c.variant {
				f.Errorf("round %d: %s says made procedure %v and variant %v, want %v and %v", round, c.what, got.CreatedProcedure, got.CreatedVariant, c.procedure, c.variant)
			}
		}
	}
	if p := f.procedure(made.ProcedureKey).Procedure; p.Frequency != 3 {
		f.Errorf("%d uses, want 3", p.Frequency)
	}
}

func repeatAnswersWhatIsStored(f *fixture) {
	first := capture("await tools.a(1)", "a")
	first = keyed(first)
	f.capture(first)
	f.capture(capturedAt(capture("await tools.a(2)", "a"), minutes(5)))
	before := f.content()
	repeat := first
	repeat.At = minutes(9)
	got := f.capture(repeat)
	same(f, "content after a repeat", f.content(), before)
	same(f, "procedure of a repeat", got.Offer, f.procedure(first.ProcedureKey))
	same(f, "variant of a repeat", got.Variant, f.variants(first.ProcedureKey)[0])
	if !got.CreatedProcedure || !got.CreatedVariant {
		f.Error("the repeat does not say that it made them")
	}
}
