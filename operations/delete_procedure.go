package operations

import (
	"context"

	"procgraph/graph"
	"procgraph/trust"
)

// DeleteProcedure forgets a procedure with all its code. Tombstones of the code hashes stay.
func (o *Operations) DeleteProcedure(ctx context.Context, toolName string) error {
	caller, err := require(ctx, trust.ScopeAdmin)
	if err != nil {
		return err
	}
	return o.commit(ctx, graph.FactQuery{Names: []string{toolName}, Dependents: true}, func(f graph.Facts) (graph.Change, error) {
		offer, ok := f.Known.Procedures[toolName]
		if !ok {
			return nil, notFound("procedure")
		}
		event, err := trust.Seal(f.Head, o.now(), caller.Principal, "procedure.deleted", toolName, map[string]any{
			"signature": offer.Procedure.Key, "offered": offer.Procedure.Current})
		if err != nil {
			return nil, err
		}
		known := after(f.Known, nil)
		delete(known.Procedures, toolName)
		return graph.ProcedureDeleted{Event: event, Key: offer.Procedure.Key, At: event.At,
			Hints: hints(f.Dependents, known, offer.Procedure.Key)}, nil
	})
}
