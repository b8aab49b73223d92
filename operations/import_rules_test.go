package operations_test

import (
	"strings"
	"testing"

	"procgraph/graph"
	"procgraph/operations"
	"procgraph/procedures"
	"procgraph/trust"
)

func TestImportDecisions(t *testing.T) {
	r := []string{"r", "r2"}
	name := procedures.ToolName(r)
	text := sealed(headLine, toolLine("r", graph.StateChanging), toolLine("new", graph.ReadOnly), procLine(nil, r...),
		variantLine("APPROVED", offeredYes, r...), useLine("a cause", 5, r...), tombLine(hashText("gone")))
	b := newBench(t)
	plain := caller("carl", trust.ScopeProcedureCapture, trust.ScopeGraphRead)
	done, err := b.importing(plain, text)
	b.must(err)
	if want := (operations.ImportSkipped{Definitions: 2, Statuses: 1, Offers: 1, Captures: 1, Counts: 1, Tombstones: 1}); done.Skipped != want {
		t.Errorf("skipped %+v, want %+v", done.Skipped, want)
	}
	p, err := b.Procedure(b.ctx, name, "")
	b.must(err)
	variants, err := b.store.VariantsBy(b.ctx, []string{hashText(codeOf(r...))})
	b.must(err)
	got := variants.Items[0]
	if p.Procedure.Frequency != 1 || p.Current != nil || got.Status != graph.Proposed || got.CapturedBy != "carl" || got.CapturedWith != "token of carl" {
		t.Errorf("without admin, stored %+v and %+v", p.Procedure, got)
	}
	tools, err := b.ToolsByName(b.ctx, []string{"r", "new"})
	b.must(err)
	if tools["r"].Class != graph.ReadOnly || tools["new"].Known || tools["new"].Class != graph.Unclassified {
		t.Errorf("without admin, the tools are %+v", tools)
	}
	if again, err := b.importing(plain, text); err != nil || again.Written != (operations.ImportCounts{}) {
		t.Errorf("again: %+v, %v", again, err)
	}

	// An admin's import decides what is open. The stored tool keeps its class, so the procedure is offered at once.
	done, err = b.importing(b.ctx, text)
	b.must(err)
	if done.Written != (operations.ImportCounts{Tools: 1, Variants: 1, Uses: 1, Procedures: 0}) {
		t.Errorf("written %+v", done.Written)
	}
	p, err = b.Procedure(b.ctx, name, "")
	b.must(err)
	if p.Current == nil || p.Current.Status != graph.Approved || p.Current.ApprovedBy != "chief" || p.Procedure.Frequency != 5 || !p.Procedure.Offered || p.Procedure.ApprovedVariants != 1 {
		t.Errorf("with admin, stored %+v", p.Offer)
	}
	b.hintsAreRight()

	// What is decided here stays.
	_, err = b.RejectVariant(b.ctx, got.CodeHash, "not any more")
	b.must(err)
	done, err = b.importing(b.ctx, text)
	b.must(err)
	p, err = b.Procedure(b.ctx, name, "")
	b.must(err)
	if p.Current != nil || done.Written != (operations.ImportCounts{}) || done.Skipped.Statuses != 1 {
		t.Errorf("the rejected variant came back: %+v, %+v", p.Offer, done)
	}

	// Deleted code comes back only as a proposal.
	b.must(b.DeleteProcedure(b.ctx, name))
	_, err = b.importing(b.ctx, text)
	b.must(err)
	p, err = b.Procedure(b.ctx, name, "")
	b.must(err)
	if p == nil || p.Current != nil || p.Procedure.Approved {
		t.Errorf("deleted code came back as %+v", p)
	}
	b.hintsAreRight()
}

func TestImportOfNamedProcedures(t *testing.T) {
	inner := []string{"r", "r2"}
	name := procedures.ToolName(inner)
	outer := []string{name, "r3"}
	reach := []string{name, "r", "r2", "r3"}
	innerLines := []string{procLine(nil, inner...), variantLine("APPROVED", offeredYes, inner...)}
	outerLines := []string{procLine(reach, outer...), variantLine("APPROVED", offeredYes, outer...)}
	lines := func(groups ...[]string) string {
		all := []string{headLine}
		for _, group := range groups {
			all = append(all, group...)
		}
		return sealed(all...)
	}
	plain := caller("carl", trust.ScopeProcedureCapture)

	b := newBench(t)
	_, err := b.importing(plain, lines(outerLines))
	b.fails(err, operations.BadUserInput)
	b.must(ignore(b.importing(plain, lines(innerLines, outerLines))))

	// What was deleted where the text comes from is known to reach what the line says, by the word of an admin.
	b = newBench(t)
	b.must(ignore(b.importing(b.ctx, lines(outerLines))))
	p, err := b.Procedure(b.ctx, procedures.ToolName(outer), "")
	b.must(err)
	if strings.Join(p.Procedure.Reach, " ") != strings.Join(reach, " ") || p.Procedure.Offered {
		t.Errorf("stored %+v", p.Procedure)
	}
	// When it comes, what names it is judged anew in the same write.
	b.must(ignore(b.importing(b.ctx, lines(innerLines))))
	p, err = b.Procedure(b.ctx, procedures.ToolName(outer), "")
	b.must(err)
	if !p.Procedure.Offered {
		t.Errorf("not offered: %v", p.NotOffered())
	}
	b.hintsAreRight()

	// A lie about it shows then.
	b = newBench(t)
	b.must(ignore(b.importing(b.ctx, lines([]string{procLine([]string{name, "r3"}, outer...), outerLines[1]}))))
	_, err = b.importing(b.ctx, lines(innerLines))
	b.fails(err, operations.Conflict)
	_, err = b.CaptureProcedure(b.ctx, operations.CaptureInput{Code: codeOf("r", "w"), Causes: []string{"c"}})
	b.must(err)

	// A stub of a tool becomes known: who reaches it is judged anew.
	b = newBench(t)
	fresh := []string{"f1", "f2"}
	b.must(ignore(b.importing(b.ctx, lines([]string{procLine(nil, fresh...), variantLine("APPROVED", offeredYes, fresh...)}))))
	b.must(ignore(b.importing(b.ctx, lines([]string{toolLine("f1", graph.ReadOnly), toolLine("f2", graph.ReadOnly)}))))
	p, err = b.Procedure(b.ctx, procedures.ToolName(fresh), "")
	b.must(err)
	if !p.Procedure.Offered {
		t.Errorf("not offered: %v", p.NotOffered())
	}
	b.hintsAreRight()
}

// TestImportOfRetired takes a retirement with the offer that it ends, and leaves it out where something is offered here.
func TestImportOfRetired(t *testing.T) {
	r := []string{"r", "r2"}
	retired := strings.Replace(procLine(nil, r...), `"lastUsedAt"`, `"retiredAt":"2021-01-01T00:00:00.000Z","lastUsedAt"`, 1)
	text := sealed(headLine, toolLine("r", graph.ReadOnly), toolLine("r2", graph.ReadOnly), retired, variantLine("APPROVED", offeredYes, r...))
	name := procedures.ToolName(r)

	b := newBench(t)
	b.captureFor(codeOf(r...), "a cause")
	_, err := b.importing(b.ctx, text)
	b.must(err)
	p, err := b.Procedure(b.ctx, name, "")
	if b.must(err); p.Procedure.RetiredAt.IsZero() || p.Exposable() || p.Procedure.Offered {
		t.Errorf("stored %+v", p.Procedure)
	}
	b.hintsAreRight()
	events, err := b.store.Events(b.ctx, 0, 100)
	b.must(err)
	want := `"procedures":[{"name":"` + name + `","offered":"` + hashText(codeOf(r...)) + `","offeredBefore":"","retired":true}]`
	if last := string(events[len(events)-1].Details); !strings.Contains(last, want) {
		t.Errorf("the event tells %s, want %s", last, want)
	}

	b = newBench(t)
	c := b.captureFor(codeOf(r...), "a cause")
	_, err = b.ApproveVariant(b.ctx, c.Variant.CodeHash, nil)
	b.must(err)
	done, err := b.importing(b.ctx, text)
	b.must(err)
	p, err = b.Procedure(b.ctx, name, "")
	if b.must(err); !p.Procedure.RetiredAt.IsZero() || done.Skipped.Retirements != 1 {
		t.Errorf("stored %+v, imported %+v", p.Procedure, done)
	}
}
