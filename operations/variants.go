package operations

import (
	"context"

	"procgraph/graph"
	"procgraph/trust"
)

// VariantsByHash answers the variants with these code hashes, by hash.
func (o *Operations) VariantsByHash(ctx context.Context, hashes []string) (map[string]*Variant, error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	got, err := o.Store.VariantsBy(ctx, hashes)
	if err != nil {
		return nil, translate(err)
	}
	observe(ctx, got.Head)
	by := make(map[string]*Variant, len(got.Items))
	for _, v := range got.Items {
		by[v.CodeHash] = o.variant(v, got.Known)
	}
	return by, nil
}

// Variant answers the variant with a code hash; nil when there is none.
func (o *Operations) Variant(ctx context.Context, hash string) (*Variant, error) {
	by, err := o.VariantsByHash(ctx, []string{hash})
	return by[hash], err
}

// VariantsOf answers, for each procedure key, its variants in the order of their capture.
func (o *Operations) VariantsOf(ctx context.Context, keys []string, in PageInput) (map[string]*Connection[*Variant], error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	const list = "procedure/variants"
	page, err := in.page(list)
	if err != nil {
		return nil, err
	}
	got, err := o.Store.VariantsOf(ctx, keys, page)
	if err != nil {
		return nil, translate(err)
	}
	observe(ctx, got.Head)
	by := make(map[string]*Connection[*Variant], len(got.By))
	for key, slice := range got.By {
		by[key] = connection(mapSlice(slice, func(v graph.Variant) *Variant { return o.variant(v, got.Known) }),
			page, list, func(v *Variant) string { return v.Position() })
	}
	return by, nil
}
