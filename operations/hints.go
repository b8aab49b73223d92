package operations

import (
	"maps"

	"procgraph/graph"
	"procgraph/procedures"
)

// after is what names will stand for once tools and procedures have changed. The known of the facts stays as it is.
func after(known graph.Known, tools []graph.Tool, offers ...graph.Offer) graph.Known {
	changed := graph.Known{Tools: maps.Clone(known.Tools), Procedures: maps.Clone(known.Procedures)}
	if changed.Tools == nil {
		changed.Tools = map[string]graph.ToolFact{}
	}
	if changed.Procedures == nil {
		changed.Procedures = map[string]graph.Offer{}
	}
	for _, t := range tools {
		changed.Tools[t.Name] = t.Fact()
	}
	for _, offer := range offers {
		changed.Procedures[offer.Procedure.ToolName] = offer
	}
	return changed
}

// hints gives the hints of dependent procedures that are no longer right, judged by their stored analyses. The
// procedure with the key except is judged elsewhere.
func hints(dependents []graph.Offer, known graph.Known, except string) []graph.Hint {
	var changed []graph.Hint
	for _, offer := range dependents {
		if offer.Procedure.Key == except {
			continue
		}
		if offered := storedOffered(offer, known); offered != offer.Procedure.Offered {
			changed = append(changed, graph.Hint{Procedure: offer.Procedure.Key, Offered: offered})
		}
	}
	return changed
}

func storedOffered(offer graph.Offer, known graph.Known) bool {
	return offer.Current != nil && len(procedures.NotOffered(offer, storedReach(offer, known))) == 0
}

// storedReach is the reach of an offer by its stored analysis.
func storedReach(offer graph.Offer, known graph.Known) procedures.Reach {
	named := procedures.Named{Names: offer.Procedure.Signature, Proven: !offer.Procedure.Unproven}
	if offer.Current != nil {
		named = procedures.StoredJudge(offer)
	}
	return procedures.ReachOf(named, known, procedures.StoredJudge)
}
