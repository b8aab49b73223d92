package graphtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"procgraph/graph"
)

// model is the contract over maps: what a backend has to answer, written as plainly as possible. The random test
// compares a backend with it, and the suite is tested on it.
type model struct {
	committing chan struct{} // holds the one commit that decides; reads and captures go on meanwhile
	mu         sync.Mutex
	head       graph.Head
	events     []graph.Event
	tools      map[string]graph.Tool
	causes     map[string]graph.Cause
	procedures map[string]graph.Procedure // by key
	variants   map[string]graph.Variant   // by code hash
	uses       map[relation]graph.Use
	documented map[relation]bool // the uses that search finds by themselves
	keys       map[string]kept
	tombstones map[string]time.Time
	admin      *graph.Credential
}

type relation struct{ cause, procedure string }

// kept is what is kept of a key.
type kept struct {
	input, procedure, codeHash string
	madeProcedure, madeVariant bool
}

func newModel() *model {
	return &model{
		committing: make(chan struct{}, 1), tools: map[string]graph.Tool{}, causes: map[string]graph.Cause{}, procedures: map[string]graph.Procedure{},
		variants: map[string]graph.Variant{}, uses: map[relation]graph.Use{}, keys: map[string]kept{},
		documented: map[relation]bool{}, tombstones: map[string]time.Time{},
	}
}

func (m *model) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	return nil
}

func (m *model) Ping(ctx context.Context) error { return ctx.Err() }
func (m *model) Close() error                   { return nil }

func millis(at time.Time) time.Time {
	if at.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(at.UnixMilli()).UTC()
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func isProcedure(name string) bool { return strings.HasPrefix(name, "proc__") }

// named answers the procedure with a tool name.
func (m *model) named(toolName string) (graph.Procedure, bool) {
	for _, p := range m.procedures {
		if p.ToolName == toolName {
			return p, true
		}
	}
	return graph.Procedure{}, false
}

func (m *model) offer(p graph.Procedure) graph.Offer {
	o := graph.Offer{Procedure: p}
	if v, ok := m.variant(p.Current); ok {
		o.Current = &v
	}
	return o
}

// variant answers a variant as reads do.
func (m *model) variant(codeHash string) (graph.Variant, bool) {
	v, ok := m.variants[codeHash]
	v.Offered = ok && m.procedures[v.Procedure].Current == codeHash
	return v, ok
}

// learn adds what names stand for.
func (m *model) learn(known *graph.Known, names ...string) {
	if known.Tools == nil {
		*known = graph.Known{Tools: map[string]graph.ToolFact{}, Procedures: map[string]graph.Offer{}}
	}
	for _, name := range names {
		if t, ok := m.tools[name]; ok && !isProcedure(name) {
			known.Tools[name] = t.Fact()
		}
		if p, ok := m.named(name); ok {
			known.Procedures[name] = m.offer(p)
		}
	}
}

func (m *model) Capture(ctx context.Context, c graph.Capture) (graph.Captured, error) {
	if err := m.lock(ctx); err != nil {
		return graph.Captured{}, err
	}
	defer m.mu.Unlock()
	k, repeated := m.keys[c.Key]
	if repeated && k.input != c.Input {
		return graph.Captured{}, graph.ErrConflict
	}
	if !repeated {
		var err error
		if k, err = m.count(c); err != nil {
			return graph.Captured{}, err
		}
		if c.Key != "" {
			m.keys[c.Key] = k
		}
	}
	p := m.procedures[k.procedure]
	answer := graph.Captured{
		Offer:            m.offer(p),
		CreatedProcedure: k.madeProcedure, CreatedVariant: k.madeVariant, Head: m.head,
	}
	answer.Variant, _ = m.variant(k.codeHash)
	m.learn(&answer.Known, p.Reach...)
	return answer, nil
}

// count stores a capture that is not a repeat.
func (m *model) count(c graph.Capture) (kept, error) {
	reach := slices.Clone(c.Signature)
	for _, name := range c.Signature {
		if !isProcedure(name) {
			continue
		}
		p, ok := m.named(name)
		if !ok {
			return kept{}, fmt.Errorf("%w: %s", graph.ErrUnknownProcedure, name)
		}
		reach = append(reach, p.Reach...)
	}
	for _, name := range c.Signature {
		if _, ok := m.tools[name]; !ok && !isProcedure(name) {
			m.tools[name] = stub(name)
		}
	}
	at := millis(c.At)
	p, known := m.procedures[c.ProcedureKey]
	if !known {
		p = graph.Procedure{Key: c.ProcedureKey, ToolName: c.ToolName, Signature: c.Signature, Reach: sorted(reach...), CreatedAt: at}
	}
	v, knownVariant := m.variants[c.Variant.CodeHash]
	if !knownVariant {
		v = graph.Variant{
			CodeHash: c.Variant.CodeHash, Code: c.Variant.Code, Procedure: p.Key, Strategy: c.Variant.Strategy,
			Summary: c.Variant.Summary, WhenToUse: c.Variant.WhenToUse, Status: graph.Proposed, Proven: c.Variant.Proven,
			Analyser: c.Variant.Analyser, CapturedBy: c.Variant.CapturedBy, CapturedWith: c.Variant.CapturedWith,
			CapturedAt: millis(c.Variant.CapturedAt),
		}
		m.variants[v.CodeHash] = v
		p.Unproven = p.Unproven || !v.Proven
	}
	p.Frequency += int64(len(c.Causes))
	p.LastUsedAt, p.UpdatedAt = later(p.LastUsedAt, at), later(p.UpdatedAt, at)
	m.procedures[p.Key] = p
	for _, cause := range c.Causes {
		if _, known := m.causes[cause]; !known {
			m.causes[cause] = graph.Cause{Name: cause}
		}
		u, knownUse := m.uses[relation{cause, p.Key}]
		changed := len(c.Use.TriggerSignals) > 0 && !slices.Equal(c.Use.TriggerSignals, u.TriggerSignals)
		if !knownUse && knownVariant || knownUse && changed {
			m.documented[relation{cause, p.Key}] = true
		}
		u.Cause, u.Procedure, u.ToolName = cause, p.Key, p.ToolName
		u.Frequency++
		u.LastAt = later(u.LastAt, at)
		if c.Use.Confidence != nil {
			u.Confidence = c.Use.Confidence
		}
		if len(c.Use.TriggerSignals) > 0 {
			u.TriggerSignals = c.Use.TriggerSignals
		}
		if len(c.Use.ObservedArguments) > 0 {
			u.ObservedArguments = c.Use.ObservedArguments
		}
		if c.Use.ResultSummary != "" {
			u.ResultSummary = c.Use.ResultSummary
		}
		m.uses[relation{cause, p.Key}] = u
	}
	return kept{c.Input, p.Key, v.CodeHash, !known, !knownVariant}, nil
}

func (m *model) Commit(ctx context.Context, query graph.FactQuery, decide func(graph.Facts) (graph.Change, error)) (graph.Head, error) {
	select {
	case m.committing <- struct{}{}:
		defer func() { <-m.committing }()
	case <-ctx.Done():
		return graph.Head{}, ctx.Err()
	}
	facts, err := m.Facts(ctx, query)
	if err != nil {
		return graph.Head{}, err
	}
	change, err := decide(facts)
	if err != nil || change == nil {
		return facts.Head, err
	}
	if err := m.lock(ctx); err != nil {
		return facts.Head, err
	}
	defer m.mu.Unlock()
	event := change.Sealed()
	if event.Sequence != m.head.Sequence+1 || event.PreviousHash != m.head.Hash {
		return m.head, fmt.Errorf("event %d does not follow the head %d", event.Sequence, m.head.Sequence)
	}
	if err := m.apply(change); err != nil {
		return m.head, err
	}
	event.At = millis(event.At)
	m.events = append(m.events, event)
	m.head = graph.Head{Sequence: event.Sequence, Hash: event.Hash}
	return m.head, nil
}

func (m *model) apply(change graph.Change) error {
	switch c := change.(type) {
	case graph.ToolsWritten:
		for _, t := range c.Tools {
			m.tools[t.Name] = t
		}
		m.hint(c.Hints)
	case graph.VariantJudged:
		v, ok := m.variants[c.CodeHash]
		if !ok {
			return graph.ErrNotFound
		}
		v.Status, v.Summary, v.WhenToUse = c.Status, c.Summary, c.WhenToUse
		v.ApprovedBy, v.ApprovedAt, v.RejectedReason = c.ApprovedBy, millis(c.ApprovedAt), c.RejectedReason
		if err := m.state(c.Procedure); err != nil {
			return err
		}
		m.variants[c.CodeHash] = v
		m.hint(c.Hints)
	case graph.ProcedureChanged:
		if err := m.state(c.Procedure); err != nil {
			return err
		}
		m.hint(c.Hints)
	case graph.ProcedureDeleted:
		if _, ok := m.procedures[c.Key]; !ok {
			return graph.ErrNotFound
		}
		for hash, v := range m.variants {
			if v.Procedure == c.Key {
				m.tombstones[hash] = millis(c.At)
			}
		}
		delete(m.procedures, c.Key)
		maps.DeleteFunc(m.variants, func(_ string, v graph.Variant) bool { return v.Procedure == c.Key })
		maps.DeleteFunc(m.uses, func(r relation, _ graph.Use) bool { return r.procedure == c.Key })
		maps.DeleteFunc(m.documented, func(r relation, _ bool) bool { return r.procedure == c.Key })
		maps.DeleteFunc(m.keys, func(_ string, k kept) bool { return k.procedure == c.Key })
		m.hint(c.Hints)
	case graph.Imported:
		m.imported(c)
	case graph.AdminMade:
		if m.admin != nil {
			return graph.ErrConflict
		}
		made := c.Credential
		made.CreatedAt = millis(made.CreatedAt)
		m.admin = &made
	default:
		return fmt.Errorf("no such change: %T", change)
	}
	return nil
}

func (m *model) state(s graph.ProcedureState) error {
	p, ok := m.procedures[s.Key]
	if !ok {
		return graph.ErrNotFound
	}
	p.Current, p.Approved, p.Offered = s.Current, s.Approved, s.Offered
	p.ApprovedVariants, p.RetiredAt, p.UpdatedAt = s.ApprovedVariants, millis(s.RetiredAt), millis(s.UpdatedAt)
	m.procedures[s.Key] = p
	return nil
}

func (m *model) hint(hints []graph.Hint) {
	for _, h := range hints {
		if p, ok := m.procedures[h.Procedure]; ok {
			p.Offered = h.Offered
			m.procedures[h.Procedure] = p
		}
	}
}
