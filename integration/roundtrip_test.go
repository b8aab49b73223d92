// Package integration tests the whole system on a real Neo4j.
package integration

import (
	"context"
	"os"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"procgraph/integration/neo4jtest"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv(hostileVariable); kind != "" {
		hostile(kind)
		return
	}
	os.Exit(neo4jtest.Main(m))
}

// TestRoundTrip proves the ground that everything else stands on: a container engine, a Neo4j of the version
// that is asked for, the driver.
func TestRoundTrip(t *testing.T) {
	ctx := context.Background()
	server := neo4jtest.Start(t)
	driver := server.Driver(t)

	const question = "CREATE (n:RoundTrip {text: $text}) RETURN n.text AS text, elementId(n) <> '' AS stored"
	result, err := neo4j.ExecuteQuery(ctx, driver, question, map[string]any{"text": "naïve ⟶ 東京"}, neo4j.EagerResultTransformer)
	if err != nil {
		t.Fatal(err)
	}
	got := result.Records[0].AsMap()
	if got["text"] != "naïve ⟶ 東京" || got["stored"] != true {
		t.Errorf("the node came back as %v", got)
	}

	version, err := neo4j.ExecuteQuery(ctx, driver, "CALL dbms.components() YIELD versions, edition RETURN versions[0] AS version, edition",
		nil, neo4j.EagerResultTransformer)
	if err != nil {
		t.Fatal(err)
	}
	if got := version.Records[0].AsMap(); got["version"] != "5.26.12" || got["edition"] != "community" {
		t.Errorf("the tests run on %v", got)
	}

	if err := server.Clear(ctx); err != nil {
		t.Fatal(err)
	}
	left, err := neo4j.ExecuteQuery(ctx, driver, "MATCH (n) RETURN count(n) AS nodes", nil, neo4j.EagerResultTransformer)
	if err != nil {
		t.Fatal(err)
	}
	if nodes := left.Records[0].AsMap()["nodes"]; nodes != int64(0) {
		t.Errorf("%v nodes are left after Clear", nodes)
	}
}
