package resolvers

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"
)

// repeat writes a part n times, with # for its number.
func repeat(n int, part string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(part, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// nest writes the opening part n times around a middle.
func nest(n int, opening, middle string) string {
	return strings.Repeat(opening, n) + middle + strings.Repeat("}", n*strings.Count(opening, "{"))
}

// chain makes fragments f0 to fn, each of which spreads the next one by a body with %d for its number.
func chain(n int, on, body, last string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " fragment f%d on %s%s", i, on, strings.ReplaceAll(body, "%d", fmt.Sprint(i+1)))
	}
	fmt.Fprintf(&b, " fragment f%d on %s%s", n, on, last)
	return b.String()
}

func TestRefusedForWhatTheyCost(t *testing.T) {
	a := newAPI(t)
	for name, c := range map[string]struct{ query, says string }{
		"deep": {"{procedures{nodes{" + nest(12, "current{procedure{", "id") + "}}}", "deep"},
		"deep behind fragments": {"{procedures{nodes{...f0}}}" +
			chain(12, "Procedure", "{current{procedure{...f%d}}}", "{id}"), "deep"},
		"deep behind inline fragments": {"{procedures{nodes{" + nest(12, "...{current{...on Variant{procedure{", "id") + "}}}", "deep"},
		"deeper than the parser goes":  {"{viewer" + strings.Repeat("{a", 900) + strings.Repeat("}", 901), ""},
		"10,000 aliases":               {"{" + repeat(10_000, "a#:viewer{scopes} ") + "}", "token limit"},
		"10,000 equal fields":          {"{viewer{" + strings.Repeat("scopes ", 10_000) + "}}", "token limit"},
		"tokens":                       {"{viewer{scopes}}" + strings.Repeat(" {", 100_000), ""},
		"tokens in arguments":          {"{procedures(filter:{tools:[" + strings.Repeat(`"a",`, 3_000) + "]}){nodes{id}}}", "token limit"},
		"parentheses":                  {"{viewer" + strings.Repeat("(", 10_000) + "}", ""},
		"lists":                        {"mutation{registerTools(tools:" + strings.Repeat("[", 1_500), ""},
		"a fragment in itself": {"{procedures{nodes{...f}}} fragment f on Procedure{current{procedure{...f}}}",
			"Cannot spread"},
		"fragments in each other": {"{procedures{nodes{...f}}} fragment f on Procedure{...g} fragment g on Procedure{...f}", "Cannot spread"},
		"fragments that double":   {"{...f0}" + chain(100, "Query", "{...f%d ...f%d}", "{viewer{scopes}}"), "reads"},
		"rows that double": {"{procedures{nodes{...f0}}}" + chain(20, "Procedure",
			"{a:tools(first:1){totalCount} ...f%d ...f%d}", "{id}"), "reads"},
		"root fields":       {"{" + repeat(2, "...f0 ") + "}" + chain(8, "Query", "{...f%d ...f%d}", "{viewer{scopes}}"), "reads"},
		"defer":             {"{...f @defer} fragment f on Query{viewer{scopes}}", "@defer"},
		"defer inline":      {"{procedures{nodes{...@defer(label:\"x\"){id}}}}", "@defer"},
		"computed filters":  {"{" + repeat(11, "a#:procedures(filter:{effect:UNPROVEN}first:0){totalCount}") + "}", "reads"},
		"cost":              {"{procedures(first:500){nodes{variants(first:500){nodes{id label codeHash status}}}}}", "cost"},
		"cost by aliases":   {"{a:procedures(first:500){b:nodes{c:variants(first:500){d:nodes{e:id f:id g:id h:id}}}}}", "cost"},
		"cost of edges":     {"{procedures(first:500){edges{node{variants(first:500){nodes{id label codeHash status}}}}}}", "cost"},
		"cost by fragments": {"{procedures(first:500){...c}} fragment c on ProcedureConnection{nodes{...p}} fragment p on Procedure{variants(first:500){nodes{...v}}} fragment v on Variant{id label codeHash status}", "cost"},
		"cost by inline":    {"{procedures(first:500){...{nodes{...on Node{...on Procedure{variants(first:500){nodes{...on Node{id label kind}codeHash}}}}}}}}", "cost"},
		"cost by interface": {`{node(id:"x"){...on Tool{procedures(first:500){nodes{tools(first:500){nodes{id name label kind}}}}}}}`, "cost"},
		"cost by default":   {"{procedures{nodes{tools{nodes{procedures{nodes{tools{nodes{id}}}}}}}}}", "cost"},
		"cost by null":      {"{procedures(first:null){nodes{tools(first:null){nodes{procedures(first:null){nodes{tools(first:null){nodes{id}}}}}}}}}", "cost"},
		"cost by limit":     {"{findAllProcedures(limit:500){variants(first:500){nodes{id label codeHash status}}}}", "cost"},
		"cost of analysis":  {"{procedures(first:500){nodes{variants(first:150){nodes{effect}}}}}", "cost"},
		"cost that is vast": {"{procedures(first:500){nodes{" + nest(5, "tools(first:500){nodes{procedures(first:500){nodes{", "id") + "}}}", "2,000,000,000"},
		"cost of mutations": {"mutation{retireProcedure(toolName:\"x\"){variants(first:500){nodes{tools:procedure{tools(first:500){nodes{id name label kind}}}}}}}", "cost"},
		"cost of a schema":  {"{__schema{types{" + nest(4, "fields{type{fields{args{type{", "name") + "}}}", ""},
	} {
		started := time.Now()
		got := a.ask(c.query, nil)
		if got.code() != "BAD_USER_INPUT" || got.Status != http.StatusBadRequest || !strings.Contains(got.Errors[0].Message, c.says) {
			t.Errorf("%s: %d %.300s", name, got.Status, fmt.Sprint(got.Errors))
		}
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
	}
}

func TestFirstIsBounded(t *testing.T) {
	a := newAPI(t)
	for _, n := range []any{-1, -100_000, 501, 100_000_000, 3_000_000_000, "99999999999999999999999", "-99999999999999999999999"} {
		for _, query := range []string{
			`{procedures(first:%v){nodes{id}}}`, `{procedures(first:%v){totalCount}}`, `{findAllProcedures(limit:%v){id}}`,
			`{procedureTools(first:%v){nodes{name}}}`, `{tools(first:%v){nodes{id}}}`, `{causes(first:%v){nodes{id}}}`,
			`{tools{nodes{procedures(first:%v){nodes{id}}}}}`, `{...f} fragment f on Query{causes{nodes{...on Cause{uses(first:%v){totalCount}}}}}`,
			`{procedures{nodes{variants(first:%[1]v){totalCount} tools(first:%[1]v){totalCount}}}}`,
			`mutation{classifyTools(items:[]){changed(first:%v){totalCount}}}`,
		} {
			a.refused("BAD_USER_INPUT", fmt.Sprintf(query, n), nil)
		}
	}
	const byVariable = `query($n:Int){procedures(first:$n){nodes{id}}}`
	for _, n := range []any{-1, 501, 1e9, 1e300, 1.5, "x", true} {
		a.refused("BAD_USER_INPUT", byVariable, map[string]any{"n": n})
	}
	a.refused("BAD_USER_INPUT", `query($n:Int=-1){procedures(first:$n){nodes{id}}}`, nil)
	for _, query := range []string{`{procedures(first:0){nodes{id}}}`, `{procedures(first:500){nodes{id}}}`, `{procedures(first:null){nodes{id}}}`,
		`{findAllProcedures(limit:0){id}}`, `query($n:Int){procedures(first:$n){nodes{id}}}`, `query($n:Int=3){procedures(first:$n){nodes{id}}}`} {
		a.ok(query, nil)
	}
	a.ok(byVariable, map[string]any{"n": nil})
}

func TestScalarsAreStrict(t *testing.T) {
	a := newAPI(t)
	const capture = `mutation($i:CaptureProcedureInput!){captureProcedure(input:$i){createdProcedure}}`
	for _, first := range []any{"5", "", 1.5, 1e100, true, []int{5}, map[string]any{}} {
		got := a.refused("BAD_USER_INPUT", `query($n:Int){procedures(first:$n){nodes{id}}}`, map[string]any{"n": first})
		if message := got.Errors[0].Message; !strings.Contains(message, "Int") {
			t.Errorf("%v: %q does not say what is wanted", first, message)
		}
	}
	for name, change := range map[string]map[string]any{
		"code is a number": {"code": 5}, "a cause is a number": {"causes": []any{"a", 5}}, "summary is true": {"summary": true},
		"confidence is a text": {"confidence": "0.5"}, "confidence is true": {"confidence": true},
	} {
		input := map[string]any{"code": "await tools.a()", "causes": []any{"a"}, "confidence": 1}
		maps.Copy(input, change)
		if got := a.ask(capture, map[string]any{"i": input}); len(got.Errors) != 1 || got.Errors[0].Extensions.Code != "BAD_USER_INPUT" ||
			strings.Contains(got.Errors[0].Message, "names no tool") {
			t.Errorf("%s: %+v", name, got.Errors)
		}
	}
	a.ok(capture, map[string]any{"i": map[string]any{"code": "await tools.a()", "causes": "a", "confidence": 1}})
}

func TestReasonableQueriesPass(t *testing.T) {
	a := newAPI(t)
	for name, query := range map[string]string{
		"introspection of GraphiQL":   introspection,
		"a wide page":                 `{procedures(first:500){nodes{toolName effect tools(first:50){nodes{name}}}}}`,
		"a page with everything":      `{procedures(first:100){totalCount pageInfo{hasNextPage endCursor} nodes{id toolName signature effect exposable notOffered{code message tool} frequency strategy summary current{codeHash status} uses(first:10){nodes{frequency cause{name}}} variants(first:10){totalCount nodes{codeHash status effect}} tools(first:10){nodes{name class}}}}}`,
		"three lists of default size": `{procedures{nodes{variants{nodes{procedure{uses{nodes{cause{name}}}}}}}}}`,
		"a batch of writes":           "mutation{" + repeat(100, `a#:retireProcedure(toolName:"x"){id}`) + "}",
	} {
		got := a.ask(query, nil)
		for _, e := range got.Errors {
			if e.Extensions.Code != "NOT_FOUND" {
				t.Errorf("%s: %+v", name, e)
			}
		}
		if got.Status != http.StatusOK {
			t.Errorf("%s: status %d", name, got.Status)
		}
	}
}

const introspection = `query IntrospectionQuery{__schema{description queryType{name kind} mutationType{name kind} subscriptionType{name kind}
 types{...FullType} directives{name description isRepeatable locations args(includeDeprecated:true){...InputValue}}}}
 fragment FullType on __Type{kind name description specifiedByURL isOneOf
  fields(includeDeprecated:true){name description args(includeDeprecated:true){...InputValue} type{...TypeRef} isDeprecated deprecationReason}
  inputFields(includeDeprecated:true){...InputValue} interfaces{...TypeRef}
  enumValues(includeDeprecated:true){name description isDeprecated deprecationReason} possibleTypes{...TypeRef}}
 fragment InputValue on __InputValue{name description type{...TypeRef} defaultValue isDeprecated deprecationReason}
 fragment TypeRef on __Type{kind name ofType{kind name ofType{kind name ofType{kind name ofType{kind name ofType{kind name
  ofType{kind name ofType{kind name ofType{kind name ofType{kind name}}}}}}}}}}`
