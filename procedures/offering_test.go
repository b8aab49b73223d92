package procedures_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"procgraph/graph"
	"procgraph/procedures"
)

func TestNotOfferedGivesEveryReason(t *testing.T) {
	o := offer("proc__w", "w")
	o.Current.Status = graph.Rejected
	o.Procedure.RetiredAt = time.Now()
	r := procedures.ReachOf(procedures.Named{Names: []string{"w"}}, world(), procedures.StoredJudge)
	want := []string{"NOT_PROVEN", "NO_OFFERED_VARIANT", "RETIRED", "TOOL_STATE_CHANGING", "TOO_FEW_TOOLS"}
	if got := codes(procedures.NotOffered(o, r)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	good := offer("proc__r__r2", "r", "r2")
	r = procedures.ReachOf(procedures.StoredJudge(good), world(), procedures.StoredJudge)
	if got := procedures.NotOffered(good, r); len(got) != 0 {
		t.Errorf("an approved read-only procedure of two tools: %v", got)
	}
}

func TestDescription(t *testing.T) {
	o := offer("proc__r__r2", "r", "r2")
	o.Current.Summary, o.Current.WhenToUse = "Finds the newest log.", "disk full (signals: alarm)"
	want := "Finds the newest log.\nWhen to use: disk full (signals: alarm)\nInputs: path.\nCalls: r, r2."
	if got := procedures.Description(o, []string{"path"}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	long := strings.Repeat("é", 3000)
	for _, c := range []struct{ summary, when string }{{long, ""}, {"", long}, {long, long}, {long, "short"}, {"short", long}, {"", ""}} {
		o.Current.Summary, o.Current.WhenToUse = c.summary, c.when
		many := make([]string, 200)
		for i := range many {
			many[i] = long[:200]
		}
		for _, inputs := range [][]string{nil, {"path"}, many} {
			got := procedures.Description(o, inputs)
			if n := utf8.RuneCountInString(got); n > 1024 || n == 0 || !utf8.ValidString(got) {
				t.Errorf("%d characters", n)
			}
			if len(inputs) < 2 && !strings.HasSuffix(got, "Calls: r, r2.") {
				t.Errorf("the tools are lost: …%s", got[max(0, len(got)-40):])
			}
			if c.when == "short" && !strings.Contains(got, "When to use: short\n") {
				t.Error("a long summary hides when to use it")
			}
		}
	}
}

func TestWhenToUse(t *testing.T) {
	if got := procedures.WhenToUse([]string{"disk full", "network"}, []string{"alarm", "df"}); got != "disk full; network (signals: alarm, df)" {
		t.Errorf("got %q", got)
	}
	if got := procedures.WhenToUse([]string{"disk full"}, nil); got != "disk full" {
		t.Errorf("got %q", got)
	}
}

func TestParametersSchema(t *testing.T) {
	var schema struct {
		Type                 string
		Properties           map[string]any
		Required             []string
		AdditionalProperties bool
	}
	if err := json.Unmarshal(procedures.ParametersSchema([]string{"a", "b"}), &schema); err != nil {
		t.Fatal(err)
	}
	if schema.Type != "object" || len(schema.Properties) != 2 || !slices.Equal(schema.Required, []string{"a", "b"}) || schema.AdditionalProperties {
		t.Errorf("%+v", schema)
	}
	if got := string(procedures.ParametersSchema(nil)); got != `{"additionalProperties":false,"properties":{},"required":[],"type":"object"}` {
		t.Error(got)
	}
}
