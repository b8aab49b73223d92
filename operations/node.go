package operations

import (
	"context"

	"procgraph/graph"
)

// Node answers the node with a public id: a *Procedure, *Variant, *graph.Tool or *graph.Cause. It is nil for an id
// that names nothing, and for one that does not decode: nobody learns the difference.
func (o *Operations) Node(ctx context.Context, id string) (any, error) {
	kind, key, _ := graph.ParseNodeID(id)
	switch kind {
	case graph.KindProcedure:
		by, err := o.ProceduresByKeys(ctx, []string{key})
		return present(by[key]), err
	case graph.KindVariant:
		v, err := o.Variant(ctx, key)
		return present(v), err
	case graph.KindCause:
		c, err := o.Cause(ctx, key)
		return present(c), err
	default:
		// An id of no kind is looked up as well, so that it takes the same way as an unknown one.
		if kind != graph.KindTool {
			key = ""
		}
		t, err := o.Tool(ctx, key)
		return present(t), err
	}
}

// present keeps a nil pointer from becoming a non-nil interface.
func present[T any](p *T) any {
	if p == nil {
		return nil
	}
	return p
}
