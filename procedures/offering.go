package procedures

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"procgraph/graph"
)

const (
	leastTools       = 2    // names that a procedure has to use to be worth a tool of its own
	descriptionLimit = 1024 // characters that planners are shown
)

// The codes of the reasons why a procedure is not offered that its reach does not give.
const (
	ReasonNoOfferedVariant = "NO_OFFERED_VARIANT"
	ReasonRetired          = "RETIRED"
	ReasonTooFewTools      = "TOO_FEW_TOOLS"
)

// NotOffered gives every reason why a procedure would not be offered as a tool by default; none means that it would.
func NotOffered(offer graph.Offer, reach Reach) []graph.Reason {
	var reasons []graph.Reason
	if offer.Current == nil || offer.Current.Status != graph.Approved {
		reasons = append(reasons, graph.Reason{Code: ReasonNoOfferedVariant,
			Message: "no approved variant of it is offered"})
	}
	if !offer.Procedure.RetiredAt.IsZero() {
		reasons = append(reasons, graph.Reason{Code: ReasonRetired, Message: "it is retired"})
	}
	if n := len(offer.Procedure.Signature); n < leastTools {
		reasons = append(reasons, graph.Reason{Code: ReasonTooFewTools,
			Message: fmt.Sprintf("it uses %d tool; a procedure tool composes %d or more", n, leastTools)})
	}
	return append(reasons, reach.Reasons...)
}

// WhenToUse is the text about the situations that a code serves. It is made of the causes and signals of the code's
// first capture and kept with the variant, so that whoever approves it sees it, and nobody changes it afterwards.
func WhenToUse(causes, signals []string) string {
	text := strings.Join(causes, "; ")
	if len(signals) > 0 {
		text += " (signals: " + strings.Join(signals, ", ") + ")"
	}
	return shorten(text, descriptionLimit/2)
}

// Description is what an agent's planner is shown of an offered procedure: the approved summary, when to use it, its
// inputs and the names that it calls; at most 1,024 characters.
func Description(offer graph.Offer, inputs []string) string {
	facts := "Calls: " + strings.Join(offer.Procedure.Signature, ", ") + "."
	if len(inputs) > 0 {
		facts = "Inputs: " + strings.Join(inputs, ", ") + ".\n" + facts
	}
	facts = shorten(facts, descriptionLimit/2)
	room := descriptionLimit - utf8.RuneCountInString(facts) - 1
	var text string
	if v := offer.Current; v != nil {
		text = strings.TrimSpace(v.Summary)
		if v.WhenToUse != "" {
			when := "When to use: " + v.WhenToUse
			if text == "" {
				text = when
			} else {
				// The summary gives way before the last word on when to use it is lost.
				text = shorten(text, max(room-utf8.RuneCountInString(when)-1, room/2)) + "\n" + when
			}
		}
	}
	if text == "" {
		return facts
	}
	return shorten(text, room) + "\n" + facts
}

// ParametersSchema is the JSON schema of a procedure's inputs. Their types are not known from the code.
func ParametersSchema(inputs []string) json.RawMessage {
	// Inputs are identifiers, which need no escapes. It is written for every row of a page, so it is not marshalled.
	names := ""
	properties := ""
	for i, name := range inputs {
		if i > 0 {
			names, properties = names+",", properties+","
		}
		names += `"` + name + `"`
		properties += `"` + name + `":{}`
	}
	return json.RawMessage(`{"additionalProperties":false,"properties":{` + properties + `},"required":[` + names + `],"type":"object"}`)
}

// shorten cuts a text to a number of characters, marking the cut.
func shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:max(limit-1, 0)]) + "…"
}
