package operations

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"procgraph/graph"
	"procgraph/procedures"
	"procgraph/trust"
)

// CaptureInput is code that worked, with the causes that it served.
type CaptureInput struct {
	Code              string
	Causes            []string
	Strategy          string
	Summary           string
	TriggerSignals    []string
	Confidence        *float64 // from 0 to 1
	ObservedArguments json.RawMessage
	ResultSummary     string
	IdempotencyKey    string // the caller's own; empty for none
}

// Captured is what is stored after a capture.
type Captured struct {
	Procedure        *Procedure
	Variant          *Variant
	CreatedProcedure bool
	CreatedVariant   bool
	Analysis         *Analysis
}

// CaptureProcedure stores code as a variant of the procedure with its signature and counts its use on each cause. New
// code is PROPOSED.
func (o *Operations) CaptureProcedure(ctx context.Context, in CaptureInput) (*Captured, error) {
	caller, err := require(ctx, trust.ScopeProcedureCapture)
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	analysis, err := o.Analyses.Analyze(in.Code)
	if err != nil {
		return nil, translate(err)
	}
	if len(analysis.Signature) == 0 {
		return nil, badInput("the code names no tool: there is nothing to reuse")
	}
	for _, name := range analysis.Signature {
		if stored, err := storedName("a tool's name in the code", name); err != nil || stored != name {
			return nil, badInput("the code names a tool whose name cannot be stored")
		}
	}
	var key, input string
	if in.IdempotencyKey != "" {
		key = hashOf(caller.Principal, in.IdempotencyKey)
		if input, err = in.hash(analysis.CodeHash); err != nil {
			return nil, err
		}
	}
	now := o.now()
	captured, err := o.Store.Capture(ctx, graph.Capture{
		ProcedureKey: procedures.SignatureKey(analysis.Signature),
		ToolName:     procedures.ToolName(analysis.Signature),
		Signature:    analysis.Signature,
		Variant: graph.Variant{
			CodeHash: analysis.CodeHash, Code: analysis.Code, Strategy: in.Strategy, Summary: in.Summary,
			WhenToUse: procedures.WhenToUse(in.Causes, in.TriggerSignals),
			Proven:    analysis.Proven, Analyser: procedures.AnalyserVersion,
			CapturedBy: caller.Principal, CapturedWith: caller.Token, CapturedAt: now,
		},
		Causes: in.Causes,
		Use: graph.UseDetails{Confidence: in.Confidence, TriggerSignals: in.TriggerSignals,
			ObservedArguments: in.ObservedArguments, ResultSummary: in.ResultSummary},
		At: now, Key: key, Input: input,
	})
	if key != "" && errors.Is(err, graph.ErrConflict) {
		return nil, &Error{Code: Conflict, Message: "the idempotency key was used for another input", Cause: err}
	}
	if err != nil {
		return nil, translate(err)
	}
	observe(ctx, captured.Head)
	return &Captured{
		Procedure:        o.procedure(captured.Offer, captured.Known),
		Variant:          o.variant(captured.Variant, captured.Known),
		CreatedProcedure: captured.CreatedProcedure,
		CreatedVariant:   captured.CreatedVariant,
		Analysis:         o.analysis(analysis, captured.Known),
	}, nil
}

// check refuses what cannot be stored and brings names into their stored form.
func (in *CaptureInput) check() error {
	if strings.TrimSpace(in.Code) == "" {
		return badInput("the code is blank")
	}
	if len(in.Causes) == 0 || len(in.Causes) > maxCauses {
		return badInput("a capture names 1 to %d causes", maxCauses)
	}
	causes := make([]string, 0, len(in.Causes))
	for _, c := range in.Causes {
		name, err := storedName("a cause's name", c)
		if err != nil {
			return err
		}
		causes = append(causes, name)
	}
	in.Causes = distinct(causes)
	slices.Sort(in.Causes)
	if len(in.TriggerSignals) > maxSignals {
		return badInput("a capture gives at most %d trigger signals", maxSignals)
	}
	if c := in.Confidence; c != nil && (math.IsNaN(*c) || *c < 0 || *c > 1) {
		return badInput("confidence goes from 0 to 1")
	}
	for _, s := range in.TriggerSignals {
		if err := text("a trigger signal", s); err != nil {
			return err
		}
	}
	if err := jsonText("observedArguments", in.ObservedArguments); err != nil {
		return err
	}
	if len([]rune(in.IdempotencyKey)) > maxKey {
		return badInput("idempotencyKey is longer than %d characters", maxKey)
	}
	for what, s := range map[string]string{"strategy": in.Strategy, "summary": in.Summary,
		"resultSummary": in.ResultSummary, "idempotencyKey": in.IdempotencyKey} {
		if err := text(what, s); err != nil {
			return err
		}
	}
	return nil
}

// hash is over all that was sent, so that one idempotency key is never taken for two inputs.
func (in *CaptureInput) hash(codeHash string) (string, error) {
	sent := *in
	sent.Code, sent.IdempotencyKey = codeHash, ""
	b, err := procedures.CanonicalJSON(sent)
	if err != nil {
		return "", fmt.Errorf("hash of the input: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// hashOf is the hex SHA-256 over the parts, each with its length before it.
func hashOf(parts ...string) string { return procedures.SignatureKey(parts) }
