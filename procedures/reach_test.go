package procedures_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"procgraph/graph"
	"procgraph/procedures"
)

func tool(name string, class graph.ToolClass) graph.ToolFact {
	return graph.ToolFact{Name: name, Class: class, Known: true, DefinitionHash: "definition of " + name}
}

func offer(name string, signature ...string) graph.Offer {
	return graph.Offer{
		Procedure: graph.Procedure{ToolName: name, Signature: signature, Current: "hash of " + name},
		Current:   &graph.Variant{CodeHash: "hash of " + name, Status: graph.Approved, Proven: true},
	}
}

// world is what names stand for: r is read-only, w state-changing, u unclassified, s suspended, stub unknown.
func world(offers ...graph.Offer) graph.Known {
	suspended := tool("s", graph.ReadOnly)
	suspended.Suspended = true
	stub := tool("stub", graph.Unclassified)
	stub.Known = false
	known := graph.Known{Tools: map[string]graph.ToolFact{}, Procedures: map[string]graph.Offer{}}
	for _, f := range []graph.ToolFact{tool("r", graph.ReadOnly), tool("r2", graph.ReadOnly), tool("w", graph.StateChanging),
		tool("u", graph.Unclassified), suspended, stub} {
		known.Tools[f.Name] = f
	}
	for _, o := range offers {
		known.Procedures[o.Procedure.ToolName] = o
	}
	return known
}

func codes(reasons []graph.Reason) []string {
	var c []string
	for _, r := range reasons {
		c = append(c, r.Code)
	}
	slices.Sort(c)
	return slices.Compact(c)
}

func TestEffect(t *testing.T) {
	rejected, proposed, none, retired, unproven := offer("proc__rejected", "r"), offer("proc__proposed", "r"),
		offer("proc__none", "r"), offer("proc__retired", "r"), offer("proc__unproven", "r")
	rejected.Current.Status, proposed.Current.Status, none.Current = graph.Rejected, graph.Proposed, nil
	retired.Procedure.RetiredAt = time.Now()
	unproven.Current.Proven = false
	known := world(offer("proc__r", "r", "r2"), offer("proc__w", "w"), offer("proc__deep", "proc__w", "r"),
		rejected, proposed, none, retired, unproven)
	cases := []struct {
		names   []string
		proven  bool
		effect  graph.Effect
		reasons []string
	}{
		{nil, true, graph.EffectReadOnly, nil},
		{[]string{"r", "r2"}, true, graph.EffectReadOnly, nil},
		{[]string{"r"}, false, graph.EffectUnproven, []string{"NOT_PROVEN"}},
		{[]string{"r", "w"}, true, graph.EffectMutating, []string{"TOOL_STATE_CHANGING"}},
		{[]string{"u"}, true, graph.EffectUnproven, []string{"TOOL_UNCLASSIFIED"}},
		{[]string{"s"}, true, graph.EffectUnproven, []string{"TOOL_SUSPENDED"}},
		{[]string{"stub"}, true, graph.EffectUnproven, []string{"TOOL_UNKNOWN"}},
		{[]string{"absent"}, true, graph.EffectUnproven, []string{"TOOL_UNKNOWN"}},
		{[]string{"w", "u"}, true, graph.EffectUnproven, []string{"TOOL_STATE_CHANGING", "TOOL_UNCLASSIFIED"}},
		{[]string{"proc__r"}, true, graph.EffectReadOnly, nil},
		{[]string{"proc__w"}, true, graph.EffectMutating, []string{"TOOL_STATE_CHANGING"}},
		{[]string{"proc__deep"}, true, graph.EffectMutating, []string{"TOOL_STATE_CHANGING"}},
		{[]string{"proc__absent"}, true, graph.EffectUnproven, []string{"PROCEDURE_UNKNOWN"}},
		{[]string{"proc__rejected"}, true, graph.EffectUnproven, []string{"PROCEDURE_NOT_APPROVED"}},
		{[]string{"proc__proposed"}, true, graph.EffectUnproven, []string{"PROCEDURE_NOT_APPROVED"}},
		{[]string{"proc__none"}, true, graph.EffectUnproven, []string{"PROCEDURE_NOT_APPROVED"}},
		{[]string{"proc__retired"}, true, graph.EffectUnproven, []string{"PROCEDURE_RETIRED"}},
		{[]string{"proc__unproven"}, true, graph.EffectUnproven, []string{"NOT_PROVEN"}},
	}
	for _, c := range cases {
		r := procedures.ReachOf(procedures.Named{Names: c.names, Proven: c.proven}, known, procedures.StoredJudge)
		if r.Effect != c.effect || !slices.Equal(codes(r.Reasons), c.reasons) {
			t.Errorf("%q proven %t: %s %v, want %s %v", c.names, c.proven, r.Effect, codes(r.Reasons), c.effect, c.reasons)
		}
	}
}

func TestReachVisitsEachProcedureOnce(t *testing.T) {
	known := world(offer("proc__top", "proc__left", "proc__right"), offer("proc__left", "proc__base"),
		offer("proc__right", "proc__base"), offer("proc__base", "r", "r2"))
	r := procedures.ReachOf(procedures.Named{Names: []string{"proc__top", "r2"}, Proven: true}, known, procedures.StoredJudge)
	var names []string
	for _, p := range r.Procedures {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, []string{"proc__base", "proc__left", "proc__right", "proc__top"}) || len(r.Tools) != 2 ||
		r.Effect != graph.EffectReadOnly {
		t.Errorf("procedures %v, tools %v, %s", names, r.Tools, r.Effect)
	}
}

func TestReachIsBounded(t *testing.T) {
	chain := func(n int) graph.Known {
		var offers []graph.Offer
		for i := range n {
			offers = append(offers, offer(fmt.Sprintf("proc__%d", i), fmt.Sprintf("proc__%d", i+1)))
		}
		return world(append(offers, offer(fmt.Sprintf("proc__%d", n), "r"))...)
	}
	named := procedures.Named{Names: []string{"proc__0"}, Proven: true}
	if r := procedures.ReachOf(named, chain(7), procedures.StoredJudge); r.Effect != graph.EffectReadOnly {
		t.Errorf("eight levels are within the limit: %v", r.Reasons)
	}
	if r := procedures.ReachOf(named, chain(8), procedures.StoredJudge); !slices.Equal(codes(r.Reasons), []string{"REACH_TOO_DEEP"}) {
		t.Errorf("nine levels: %v", r.Reasons)
	}
	cycle := world(offer("proc__0", "proc__1"), offer("proc__1", "proc__0", "r"))
	if r := procedures.ReachOf(named, cycle, procedures.StoredJudge); !slices.Equal(codes(r.Reasons), []string{"REACH_CYCLE"}) {
		t.Errorf("a cycle: %v", r.Reasons)
	}
	var wide []graph.Offer
	var names []string
	for i := range 65 {
		name := fmt.Sprintf("proc__w%02d", i)
		wide, names = append(wide, offer(name, "r")), append(names, name)
	}
	known := world(wide...)
	if r := procedures.ReachOf(procedures.Named{Names: names[:64], Proven: true}, known, procedures.StoredJudge); r.Effect != graph.EffectReadOnly {
		t.Errorf("64 procedures are within the limit: %v", r.Reasons)
	}
	if r := procedures.ReachOf(procedures.Named{Names: names, Proven: true}, known, procedures.StoredJudge); !slices.Equal(codes(r.Reasons), []string{"REACH_TOO_WIDE"}) {
		t.Errorf("65 procedures: %v", r.Reasons)
	}
}

func TestPinCoversAllThatAPermissionRestsOn(t *testing.T) {
	base := func() (string, graph.Known) { return "code", world(offer("proc__r", "r")) }
	pin := func(hash string, known graph.Known, names ...string) string {
		r := procedures.ReachOf(procedures.Named{Names: names, Proven: true}, known, procedures.StoredJudge)
		p, err := procedures.Pin(hash, r)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	hash, known := base()
	want := pin(hash, known, "proc__r", "r2")
	if again := pin(hash, known, "r2", "proc__r"); again != want {
		t.Error("the pin depends on the order of the names")
	}
	changes := map[string]func() string{
		"another code": func() string { _, k := base(); return pin("other", k, "proc__r", "r2") },
		"another class of a tool behind a procedure": func() string {
			h, k := base()
			k.Tools["r"] = tool("r", graph.StateChanging)
			return pin(h, k, "proc__r", "r2")
		},
		"another definition": func() string {
			h, k := base()
			f := k.Tools["r2"]
			f.DefinitionHash = "other"
			k.Tools["r2"] = f
			return pin(h, k, "proc__r", "r2")
		},
		"another code of a procedure": func() string {
			h, k := base()
			k.Procedures["proc__r"].Current.CodeHash = "other"
			return pin(h, k, "proc__r", "r2")
		},
		"one tool less": func() string { h, k := base(); return pin(h, k, "proc__r") },
		"one tool more": func() string { h, k := base(); return pin(h, k, "proc__r", "r2", "w") },
	}
	for what, change := range changes {
		if change() == want {
			t.Errorf("%s leaves the pin as it was", what)
		}
	}
}

func TestDefinitionHash(t *testing.T) {
	hash := func(name, description, schema string) string {
		h, err := procedures.DefinitionHash(name, description, []byte(schema))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	want := hash("a", "b", `{"type":"object","properties":{"x":{}}}`)
	if hash("a", "b", `{ "properties": {"x": {}}, "type": "object" }`) != want {
		t.Error("the form of the schema matters")
	}
	if hash("a", "b", `{"maximum":9007199254740992}`) == hash("a", "b", `{"maximum":9007199254740993}`) {
		t.Error("numbers are rounded")
	}
	for _, other := range []string{hash("b", "b", `{"type":"object","properties":{"x":{}}}`),
		hash("a", "c", `{"type":"object","properties":{"x":{}}}`), hash("a", "b", `{"type":"object"}`)} {
		if other == want {
			t.Error("a change is not noticed")
		}
	}
	if _, err := procedures.DefinitionHash("a", "b", []byte(`{`)); err == nil {
		t.Error("broken JSON has a hash")
	}
}
