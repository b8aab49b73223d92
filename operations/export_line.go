package operations

import (
	"encoding/json"
	"time"

	"procgraph/graph"
)

// The format of exports: its name and the version that this program writes and reads.
const (
	formatName    = "procgraph"
	formatVersion = 1
)

// The kinds of lines, in the order in which they come.
const (
	kindHeader    = "header"
	kindTool      = "tool"
	kindCause     = "cause"
	kindProcedure = "procedure"
	kindVariant   = "variant"
	kindUse       = "use"
	kindTombstone = "tombstone"
	kindEnd       = "end"
)

type headerLine struct {
	Kind       string `json:"kind"`
	Format     string `json:"format"`
	Version    int64  `json:"version"`
	ExportedAt moment `json:"exportedAt"`
}

type toolLine struct {
	Kind             string          `json:"kind"`
	Name             string          `json:"name"`
	Description      string          `json:"description"`
	ParametersSchema json.RawMessage `json:"parametersSchema"`
	Class            string          `json:"class"`
	ExternalAccess   bool            `json:"externalAccess"`
	Known            bool            `json:"known"`
	Hints            json.RawMessage `json:"hints,omitempty"`
	Suspended        bool            `json:"suspended"`
}

type causeLine struct {
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

type procedureLine struct {
	Kind       string   `json:"kind"`
	ToolName   string   `json:"toolName"`
	Signature  []string `json:"signature"`
	Reach      []string `json:"reach"`
	CreatedAt  moment   `json:"createdAt"`
	UpdatedAt  moment   `json:"updatedAt"`
	LastUsedAt moment   `json:"lastUsedAt,omitzero"`
	RetiredAt  moment   `json:"retiredAt,omitzero"`
}

type variantLine struct {
	Kind           string `json:"kind"`
	Procedure      string `json:"procedure"`
	CodeHash       string `json:"codeHash"`
	Code           string `json:"code"`
	Strategy       string `json:"strategy"`
	Summary        string `json:"summary"`
	WhenToUse      string `json:"whenToUse"`
	Status         string `json:"status"`
	Offered        bool   `json:"offered"`
	CapturedBy     string `json:"capturedBy"`
	CapturedAt     moment `json:"capturedAt"`
	ApprovedBy     string `json:"approvedBy,omitempty"`
	ApprovedAt     moment `json:"approvedAt,omitzero"`
	RejectedReason string `json:"rejectedReason,omitempty"`
	Succeeded      int64  `json:"succeeded"`
	Failed         int64  `json:"failed"`
	LastRunAt      moment `json:"lastRunAt,omitzero"`
}

type useLine struct {
	Kind              string          `json:"kind"`
	Procedure         string          `json:"procedure"`
	Cause             string          `json:"cause"`
	Frequency         int64           `json:"frequency"`
	Confidence        *float64        `json:"confidence,omitempty"`
	TriggerSignals    []string        `json:"triggerSignals,omitempty"`
	ObservedArguments json.RawMessage `json:"observedArguments,omitempty"`
	ResultSummary     string          `json:"resultSummary"`
	LastAt            moment          `json:"lastAt"`
}

type tombstoneLine struct {
	Kind      string `json:"kind"`
	CodeHash  string `json:"codeHash"`
	DeletedAt moment `json:"deletedAt"`
}

type endLine struct {
	Kind   string `json:"kind"`
	Lines  int64  `json:"lines"`
	SHA256 string `json:"sha256"`
}

// moment is a time as lines have it: in UTC with milliseconds.
type moment time.Time

const momentFormat = `"2006-01-02T15:04:05.000Z"`

// IsZero leaves out the times that were never set.
func (m moment) IsZero() bool { return time.Time(m).IsZero() }

// MarshalJSON writes the time.
func (m moment) MarshalJSON() ([]byte, error) {
	return time.Time(m).UTC().AppendFormat(make([]byte, 0, len(momentFormat)), momentFormat), nil
}

func lineOfTool(t graph.Tool) toolLine {
	schema := t.ParametersSchema
	if len(schema) == 0 {
		schema = json.RawMessage(`{}`)
	}
	return toolLine{Kind: kindTool, Name: t.Name, Description: t.Description, ParametersSchema: schema, Class: string(t.Class),
		ExternalAccess: t.ExternalAccess, Known: t.Known, Hints: t.Hints, Suspended: t.Suspended}
}

func lineOfProcedure(p graph.Procedure) procedureLine {
	return procedureLine{Kind: kindProcedure, ToolName: p.ToolName, Signature: p.Signature, Reach: p.Reach,
		CreatedAt: moment(p.CreatedAt), UpdatedAt: moment(p.UpdatedAt), LastUsedAt: moment(p.LastUsedAt), RetiredAt: moment(p.RetiredAt)}
}

func lineOfVariant(toolName string, v graph.Variant) variantLine {
	return variantLine{Kind: kindVariant, Procedure: toolName, CodeHash: v.CodeHash, Code: v.Code, Strategy: v.Strategy,
		Summary: v.Summary, WhenToUse: v.WhenToUse, Status: string(v.Status), Offered: v.Offered,
		CapturedBy: v.CapturedBy, CapturedAt: moment(v.CapturedAt), ApprovedBy: v.ApprovedBy, ApprovedAt: moment(v.ApprovedAt),
		RejectedReason: v.RejectedReason, Succeeded: v.Succeeded, Failed: v.Failed, LastRunAt: moment(v.LastRunAt)}
}

func lineOfUse(u graph.Use) useLine {
	return useLine{Kind: kindUse, Procedure: u.ToolName, Cause: u.Cause, Frequency: u.Frequency, Confidence: u.Confidence,
		TriggerSignals: u.TriggerSignals, ObservedArguments: u.ObservedArguments, ResultSummary: u.ResultSummary, LastAt: moment(u.LastAt)}
}
