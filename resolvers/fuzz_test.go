package resolvers

import (
	"bytes"
	"testing"
	"time"

	"procgraph/trust"
)

func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"query":"{viewer{scopes}}"}`,
		`{"query":"query($n:Int){procedures(first:$n){nodes{id}}}","variables":{"n":3}}`,
		`{"query":"query q($f:ProcedureFilter){procedures(filter:$f){totalCount}}","variables":{"f":{"effect":"read_only","tools":"a"}},"operationName":"q"}`,
		`{"query":"mutation($t:[ToolInput!]!){registerTools(tools:$t){name}}","variables":{"t":{"name":"a","parametersSchema":{"x":[1e999,null]},"class":5}}}`,
		`{"query":"mutation($i:CaptureProcedureInput!){captureProcedure(input:$i){variant{codeHash}}}","variables":{"i":{"code":"await tools.a()","causes":["c"],"confidence":1e999}}}`,
		`{"query":"{node(id:\"cHJvY2VkdXJlOng\"){...on Procedure{tools{nodes{name}}}}}"}`,
		`{"query":"{procedures(after:\"x\",first:99999999999999999999){nodes{id}}}"}`,
		`{"query":"{a:__typename @skip(if:true) ...f} fragment f on Query{__type(name:\"Tool\"){name}}"}`,
		`{"query":"{analyzeCode(code:\"await tools.a()\\r# x\"){signature findings{line column code}}}"}`,
		`[{"query":"{"}]`, `{"query":null}`, `{"variables":{"":[[[]]]}}`, `nul`, "\xff", ``,
	} {
		f.Add([]byte(seed))
	}
	a := newAPI(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		a.t = t
		a.log.Reset()
		started := time.Now()
		got := a.send(post(bytes.NewReader(body)), trust.AllScopes()...)
		if got.Status != 200 && got.Status != 400 {
			t.Errorf("status %d", got.Status)
		}
		if got.Status != 200 && len(got.Errors) == 0 {
			t.Error("refused without an error")
		}
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("took %s", took)
		}
		if a.log.Len() > 0 {
			t.Errorf("a fault of ours: %s", a.log)
		}
	})
}
