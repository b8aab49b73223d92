package sqlite

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"procgraph/graph"
)

// toolWritten registers a tool with the event that follows the head.
func toolWritten(head graph.Head, name string) graph.ToolsWritten {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", head.Hash, head.Sequence+1, name))
	return graph.ToolsWritten{
		Event: graph.Event{
			Sequence: head.Sequence + 1, At: time.UnixMilli(1_780_000_000_000).UTC(), Actor: "user:ann", Action: "TOOLS_REGISTERED",
			Subject: name, Hash: hex.EncodeToString(sum[:]), PreviousHash: head.Hash,
		},
		Tools: []graph.Tool{{Name: name, Class: graph.ReadOnly, Known: true, DefinitionHash: hex.EncodeToString(sum[:])}},
	}
}
