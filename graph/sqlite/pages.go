package sqlite

import (
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"procgraph/graph"
)

const (
	keptPages = 128
	keptCode  = 256 << 10 // bytes of code in a page that is kept
)

// pages keeps the pages that planners ask for again and again, for as long as nothing at all is written: this process
// is the only writer of its database, so it knows. Callers share what is kept and do not change it.
type pages struct {
	// writes counts the beginnings and the ends of commits: it is odd while one is under way, and then nothing is
	// answered from here and nothing is kept, so that no reader sees an older state than one before him.
	writes atomic.Uint64
	kept   *lru.Cache[pageKey, keptPage]
}

// pageKey is everything that a plain list of procedures depends on.
type pageKey struct {
	approved, offered, includeRetired bool
	order                             graph.ProcedureOrder
	first                             int
	after                             string
}

type keptPage struct {
	writes uint64
	page   graph.ProcedurePage
}

func newPages() (*pages, error) {
	kept, err := lru.New[pageKey, keptPage](keptPages)
	return &pages{kept: kept}, err
}

// keyOf answers the key of a list; ok is false for one that is not kept.
func keyOf(filter graph.ProcedureFilter, order graph.ProcedureOrder, page graph.Page) (key pageKey, ok bool) {
	return pageKey{filter.Approved, filter.Offered, filter.IncludeRetired, order, page.First, page.After},
		filter.Keys == nil && len(filter.Tools) == 0 && len(filter.Causes) == 0 && !page.Count
}

// commit runs the end of a write.
func (p *pages) commit(end func() error) error {
	p.writes.Add(1)
	defer p.writes.Add(1)
	return end()
}

// get answers a page that was read since the last write. Without one, writes is what put has to be told after reading.
func (p *pages) get(key pageKey) (page graph.ProcedurePage, writes uint64, ok bool) {
	writes = p.writes.Load()
	if kept, found := p.kept.Get(key); found && kept.writes == writes && writes%2 == 0 {
		return kept.page, writes, true
	}
	return graph.ProcedurePage{}, writes, false
}

// put keeps a page if nothing was written since before it was read.
func (p *pages) put(key pageKey, writes uint64, page graph.ProcedurePage) {
	code := 0
	for _, offer := range page.Items {
		if offer.Current != nil {
			code += len(offer.Current.Code)
		}
	}
	for _, offer := range page.Known.Procedures {
		if offer.Current != nil {
			code += len(offer.Current.Code)
		}
	}
	if writes%2 == 0 && code <= keptCode && p.writes.Load() == writes {
		p.kept.Add(key, keptPage{writes, page})
	}
}
