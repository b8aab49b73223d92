package graphtest

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"procgraph/graph"
)

// crowd is how many captures run at one moment.
const crowd = 64

var identityTests = []test{
	{"OneSignatureOneCode", true, oneSignatureOneCode},
	{"OneSignatureDistinctCodes", true, oneSignatureDistinctCodes},
	{"SharedToolsAndCauses", true, sharedToolsAndCauses},
	{"FrequencyIsExact", true, frequencyIsExact},
	{"CapturesAndCommits", true, capturesAndCommits},
	{"NestedAndItsParts", true, nestedAndItsParts},
	{"EqualSignatureIsOneProcedure", false, equalSignature},
}

// captureTogether stores captures at one moment and answers what each was told.
func (f *fixture) captureTogether(captures []graph.Capture) []graph.Captured {
	f.Helper()
	answers := make([]graph.Captured, len(captures))
	f.together(len(captures), func(i int, store graph.Store) (err error) {
		answers[i], err = store.Capture(f.Context(), captures[i])
		return err
	})
	for _, a := range answers {
		f.checkTimes(a)
	}
	return answers
}

// created counts the answers that say they made something.
func created(answers []graph.Captured) (procedures, variants int) {
	for _, a := range answers {
		if a.CreatedProcedure {
			procedures++
		}
		if a.CreatedVariant {
			variants++
		}
	}
	return procedures, variants
}

func oneSignatureOneCode(f *fixture) {
	captures := make([]graph.Capture, crowd)
	for i := range captures {
		captures[i] = capture("await tools.a(); await tools.b()", "a", "b")
	}
	answers := f.captureTogether(captures)
	key := captures[0].ProcedureKey
	for i, a := range answers {
		if p := a.Offer.Procedure; p.Key != key || p.ToolName != nameOf("a", "b") || p.Frequency < 1 || p.Frequency > crowd {
			f.Errorf("answer %d: procedure %s %s with %d uses", i, p.Key, p.ToolName, p.Frequency)
		}
		if a.Variant.CodeHash != captures[0].Variant.CodeHash {
			f.Errorf("answer %d: variant %s", i, a.Variant.CodeHash)
		}
	}
	if p, v := created(answers); p != 1 || v != 1 {
		f.Errorf("%d answers made the procedure and %d the variant, want 1 and 1", p, v)
	}
	if all := f.procedures(); len(all) != 1 || all[0].Procedure.Frequency != crowd {
		f.Errorf("procedures %+v, want one with %d uses", all, crowd)
	}
	if v := f.variants(key); len(v) != 1 {
		f.Errorf("%d variants, want 1", len(v))
	}
	if u := f.uses(key); len(u) != 1 || u[0].Frequency != crowd {
		f.Errorf("uses %+v, want one with %d", u, crowd)
	}
	same(f, "tools", f.tools(), []graph.Tool{stub("a"), stub("b")})
	same(f, "causes", f.causes(), []string{"a cause"})
}

func oneSignatureDistinctCodes(f *fixture) {
	captures := make([]graph.Capture, crowd)
	for i := range captures {
		captures[i] = capture(fmt.Sprintf("await tools.a(%d); await tools.b()", i), "a", "b")
	}
	answers := f.captureTogether(captures)
	if p, v := created(answers); p != 1 || v != crowd {
		f.Errorf("%d answers made the procedure and %d a variant, want 1 and %d", p, v, crowd)
	}
	for i, a := range answers {
		if a.Variant.Code != captures[i].Variant.Code {
			f.Errorf("answer %d has another's code: %q", i, a.Variant.Code)
		}
	}
	if all := f.procedures(); len(all) != 1 || all[0].Procedure.Frequency != crowd {
		f.Errorf("procedures %+v, want one with %d uses", all, crowd)
	}
	codes := map[string]bool{}
	for _, v := range f.variants(captures[0].ProcedureKey) {
		codes[v.Code] = true
	}
	if len(codes) != crowd {
		f.Errorf("%d distinct codes, want %d", len(codes), crowd)
	}
}

func sharedToolsAndCauses(f *fixture) {
	causes := []string{"cause 0", "cause 1", "cause 2", "cause 3"}
	captures := make([]graph.Capture, crowd)
	for i := range captures {
		own := fmt.Sprintf("own_%02d", i)
		// Every worker names what it shares in another order, which is how writers that lock as they go deadlock.
		order := append(append([]string{}, causes[i%4:]...), causes[:i%4]...)
		captures[i] = serving(capture("await tools.a(); await tools.b(); await tools."+own+"()", "a", "b", own), order...)
	}
	if p, v := created(f.captureTogether(captures)); p != crowd || v != crowd {
		f.Errorf("%d procedures and %d variants were made, want %d of each", p, v, crowd)
	}
	all := f.procedures()
	if len(all) != crowd {
		f.Errorf("%d procedures, want %d", len(all), crowd)
	}
	for _, o := range all {
		if o.Procedure.Frequency != int64(len(causes)) {
			f.Errorf("%s has %d uses, want %d", o.Procedure.ToolName, o.Procedure.Frequency, len(causes))
		}
	}
	if tools := f.tools(); len(tools) != crowd+2 {
		f.Errorf("%d tools, want %d", len(tools), crowd+2)
	}
	same(f, "causes", f.causes(), causes)
	uses := read(f.store().UsesOf(f.Context(), graph.UseOwners{Causes: causes}, everything)).or(f)
	for _, cause := range causes {
		if s := uses.By[cause]; len(s.Items) != crowd || s.Total != crowd {
			f.Errorf("%s has %d uses (total %d), want %d", cause, len(s.Items), s.Total, crowd)
		}
	}
}

func frequencyIsExact(f *fixture) {
	const workers, each = 8, 20
	type relation struct{ cause, procedure string }
	var mu sync.Mutex
	counted := map[relation]int64{}
	f.together(workers, func(worker int, store graph.Store) error {
		random := rand.New(rand.NewPCG(7, uint64(worker)))
		for range each {
			own := fmt.Sprintf("own_%d", random.IntN(4))
			c := capture(fmt.Sprintf("await tools.%s(%d)", own, random.IntN(3)), "shared", own)
			c.Causes = nil
			for _, n := range random.Perm(5)[:1+random.IntN(4)] {
				c.Causes = append(c.Causes, fmt.Sprintf("cause %d", n))
			}
			if _, err := store.Capture(f.Context(), c); err != nil {
				return err
			}
			mu.Lock()
			for _, cause := range c.Causes {
				counted[relation{cause, c.ProcedureKey}]++
			}
			mu.Unlock()
		}
		return nil
	})
	stored := map[relation]int64{}
	for _, o := range f.procedures() {
		var sum int64
		for _, u := range f.uses(o.Procedure.Key) {
			stored[relation{u.Cause, u.Procedure}] = u.Frequency
			sum += u.Frequency
		}
		if o.Procedure.Frequency != sum {
			f.Errorf("%s says %d uses, its relations say %d", o.Procedure.ToolName, o.Procedure.Frequency, sum)
		}
	}
	if len(stored) != len(counted) {
		f.Errorf("%d relations, want %d", len(stored), len(counted))
	}
	for r, n := range counted {
		if stored[r] != n {
			f.Errorf("%v has %d uses, want %d", r, stored[r], n)
		}
	}
}

// capturesAndCommits checks that captures neither wait for nor disturb trust writes to the same procedure.
func capturesAndCommits(f *fixture) {
	f.registerNames("a", "b")
	first := capture("await tools.a(); await tools.b()", "a", "b")
	f.capture(first)
	const workers, each = 8, 8
	f.together(workers, func(worker int, store graph.Store) error {
		for i := range each {
			if worker%4 == 0 {
				at := minutes(worker*each + i)
				if _, err := store.Commit(f.Context(), graph.FactQuery{CodeHashes: []string{first.Variant.CodeHash}}, func(facts graph.Facts) (graph.Change, error) {
					p := facts.Owners[first.ProcedureKey].Procedure
					return graph.ProcedureChanged{
						Event:     seal(facts.Head, "PROCEDURE_RETIRED", p.ToolName),
						Procedure: graph.ProcedureState{Key: p.Key, RetiredAt: at, UpdatedAt: at},
					}, nil
				}); err != nil {
					return err
				}
				continue
			}
			c := first
			if _, err := store.Capture(f.Context(), c); err != nil {
				return err
			}
		}
		return nil
	})
	if p := f.procedure(first.ProcedureKey).Procedure; p.Frequency != 1+6*each {
		f.Errorf("%d uses, want %d", p.Frequency, 1+6*each)
	}
	if head := f.head(); head.Sequence != 1+2*each {
		f.Errorf("the head is at %d, want %d", head.Sequence, 1+2*each)
	}
}

// nestedAndItsParts captures procedures and, at the same time, code that names them.
func nestedAndItsParts(f *fixture) {
	part := capture("await tools.a(); await tools.b()", "a", "b")
	f.capture(part)
	captures := make([]graph.Capture, crowd/2)
	for i := range captures {
		captures[i] = capture(fmt.Sprintf("await tools.%s(); await tools.c_%d()", part.ToolName, i%4), part.ToolName, fmt.Sprintf("c_%d", i%4))
		if i%8 == 0 {
			captures[i] = capture("await tools.a(); await tools.b()", "a", "b")
		}
	}
	f.captureTogether(captures)
	if all := f.procedures(); len(all) != 5 {
		names := make([]string, len(all))
		for i, o := range all {
			names[i] = fmt.Sprint(o.Procedure.Signature)
		}
		f.Errorf("procedures %v, want 5", names)
	}
	for _, o := range f.procedures() {
		if p := o.Procedure; p.Key != part.ProcedureKey {
			same(f, "reach", p.Reach, sorted(append([]string{"a", "b"}, p.Signature...)...))
		}
	}
}

func equalSignature(f *fixture) {
	f.capture(
		serving(capture("first wording", "a", "b"), "cause 1"),
		serving(capture("second wording", "b", "a"), "cause 2"),
		capture("a part of it", "a"),
		capture("more than it", "a", "b", "c"),
	)
	all := f.procedures()
	if len(all) != 3 {
		f.Fatalf("%d procedures, want 3", len(all))
	}
	if v := f.variants(keyOf("a", "b")); len(v) != 2 {
		f.Errorf("%d variants, want 2", len(v))
	}
	if u := f.uses(keyOf("a", "b")); len(u) != 2 {
		f.Errorf("%d uses, want 2", len(u))
	}
}
