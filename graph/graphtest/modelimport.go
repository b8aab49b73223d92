package graphtest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"procgraph/graph"
)

func (m *model) Export(ctx context.Context, query graph.ExportQuery) (graph.ExportPage, error) {
	if err := m.lock(ctx); err != nil {
		return graph.ExportPage{}, err
	}
	defer m.mu.Unlock()
	var rows []graph.Procedure
	for _, p := range m.procedures {
		if query.Keys == nil || slices.Contains(query.Keys, p.Key) {
			rows = append(rows, p)
		}
	}
	asked := graph.Page{First: query.First, After: query.After}
	if query.Keys != nil {
		asked = graph.Page{First: len(rows)}
	}
	s := page(rows, func(p graph.Procedure) string { return p.Key }, asked)
	answer := graph.ExportPage{More: s.More}
	bytes := 0
	for i, p := range s.Items {
		if query.Keys == nil && query.Bytes > 0 && i > 0 && bytes >= query.Bytes {
			answer.More = true
			break
		}
		var variants []graph.Variant
		for hash := range m.variants {
			if v, _ := m.variant(hash); v.Procedure == p.Key {
				variants = append(variants, v)
			}
		}
		var uses []graph.Use
		for r, u := range m.uses {
			if r.procedure == p.Key {
				uses = append(uses, u)
			}
		}
		if len(variants) <= query.Each {
			for _, v := range variants {
				bytes += len(v.Code)
			}
		}
		each := graph.Page{First: query.Each}
		answer.Items = append(answer.Items, graph.Exported{
			Procedure: p, Variants: page(variants, graph.Variant.Position, each), Uses: page(uses, graph.Use.OfProcedure, each),
		})
	}
	return answer, nil
}

func (m *model) Tombstones(ctx context.Context, p graph.Page) (graph.Slice[graph.Tombstone], error) {
	if err := m.lock(ctx); err != nil {
		return graph.Slice[graph.Tombstone]{}, err
	}
	defer m.mu.Unlock()
	var rows []graph.Tombstone
	for hash, at := range m.tombstones {
		rows = append(rows, graph.Tombstone{CodeHash: hash, DeletedAt: at})
	}
	s := page(rows, func(d graph.Tombstone) string { return d.CodeHash }, p)
	s.Head = m.head
	return s, nil
}

// related adds the uses, causes and tombstones of a query to its facts.
func (m *model) related(query graph.FactQuery, facts *graph.Facts) {
	facts.Uses, facts.Causes = map[graph.UseRef]graph.Use{}, map[string]graph.Cause{}
	facts.Tombstones = map[string]time.Time{}
	for _, ref := range query.Uses {
		if u, ok := m.uses[relation{ref.Cause, ref.Procedure}]; ok {
			facts.Uses[ref] = u
		}
	}
	for _, name := range query.Causes {
		if c, ok := m.causes[name]; ok {
			facts.Causes[name] = c
		}
	}
	for _, hash := range query.Tombstones {
		if at, ok := m.tombstones[hash]; ok {
			facts.Tombstones[hash] = at
		}
	}
}

func (m *model) imported(c graph.Imported) {
	for _, t := range c.Tools {
		m.tools[t.Name] = t
	}
	for _, given := range c.Causes {
		kept := m.causes[given.Name]
		m.causes[given.Name] = graph.Cause{Name: given.Name, Description: cmp.Or(kept.Description, given.Description)}
	}
	for _, given := range c.Procedures {
		p, known := m.procedures[given.Key]
		if !known {
			p = graph.Procedure{Key: given.Key, ToolName: given.ToolName, Signature: given.Signature, Reach: given.Reach,
				CreatedAt: millis(given.CreatedAt)}
		}
		p.Current, p.Approved, p.Offered, p.ApprovedVariants = given.Current, given.Approved, given.Offered, given.ApprovedVariants
		p.RetiredAt = millis(given.RetiredAt)
		p.LastUsedAt, p.UpdatedAt = later(p.LastUsedAt, millis(given.LastUsedAt)), later(p.UpdatedAt, millis(given.UpdatedAt))
		m.procedures[p.Key] = p
	}
	for _, given := range c.Variants {
		given.CapturedAt, given.ApprovedAt, given.LastRunAt = millis(given.CapturedAt), millis(given.ApprovedAt), millis(given.LastRunAt)
		given.Offered = false
		kept, known := m.variants[given.CodeHash]
		switch {
		case !known:
			p := m.procedures[given.Procedure]
			p.Unproven = p.Unproven || !given.Proven
			m.procedures[p.Key] = p
			kept = given
		case kept.Status == graph.Proposed && given.Status != graph.Proposed:
			kept.Status, kept.Strategy, kept.Summary, kept.WhenToUse = given.Status, given.Strategy, given.Summary, given.WhenToUse
			kept.ApprovedBy, kept.ApprovedAt, kept.RejectedReason = given.ApprovedBy, given.ApprovedAt, given.RejectedReason
		}
		m.variants[kept.CodeHash] = kept
	}
	for _, given := range c.Uses {
		m.importUse(given)
	}
	for _, d := range c.Tombstones {
		m.tombstones[d.CodeHash] = later(m.tombstones[d.CodeHash], millis(d.DeletedAt))
	}
	m.hint(c.Hints)
}

func (m *model) importUse(given graph.ImportedUse) {
	p := m.procedures[given.Procedure]
	r := relation{given.Cause, given.Procedure}
	given.LastAt, given.ToolName = millis(given.LastAt), p.ToolName
	u, known := m.uses[r]
	if !known {
		m.documented[r] = given.Untold
		if !given.Untold {
			delete(m.documented, r)
		}
		u = given.Use
		p.Frequency += u.Frequency
	} else {
		p.Frequency += max(given.Frequency-u.Frequency, 0)
		u.Frequency, u.LastAt = max(u.Frequency, given.Frequency), later(u.LastAt, given.LastAt)
		u.ResultSummary = cmp.Or(u.ResultSummary, given.ResultSummary)
		if u.Confidence == nil {
			u.Confidence = given.Confidence
		}
		if len(u.ObservedArguments) == 0 {
			u.ObservedArguments = given.ObservedArguments
		}
		if len(u.TriggerSignals) == 0 && len(given.TriggerSignals) > 0 {
			u.TriggerSignals, m.documented[r] = given.TriggerSignals, true
		}
	}
	m.uses[r], m.procedures[p.Key] = u, p
}

// dependsOn says whether a procedure is one of the names or reaches one.
func dependsOn(p graph.Procedure, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return name == p.ToolName || slices.Contains(p.Reach, name)
	})
}
