package neo4jtest_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"procgraph/integration/neo4jtest"
)

func TestMain(m *testing.M) { os.Exit(neo4jtest.Main(m)) }

// TestOutage: what was written is there after a stop and after a crash, at the same address, and between them
// nothing answers.
func TestOutage(t *testing.T) {
	ctx := context.Background()
	server := neo4jtest.Start(t)
	driver := server.Driver(t)
	query := func(statement string) (any, error) {
		bounded, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		result, err := neo4j.ExecuteQuery(bounded, driver, statement, nil, neo4j.EagerResultTransformer)
		if err != nil {
			return nil, err
		}
		return result.Records[0].Values[0], nil
	}

	for round, stop := range []func(context.Context) error{server.StopContainer, server.KillContainer} {
		if _, err := query("CREATE (n:Kept) RETURN 1"); err != nil {
			t.Fatal(err)
		}
		if err := stop(ctx); err != nil {
			t.Fatal(err)
		}
		if err := driver.VerifyConnectivity(ctx); err == nil {
			t.Error("a stopped database answers")
		}
		if err := server.StartContainer(ctx); err != nil {
			t.Fatal(err)
		}
		kept, err := query("MATCH (n:Kept) RETURN count(n)")
		if err != nil {
			t.Fatal(err)
		}
		if kept != int64(round+1) {
			t.Errorf("round %d: %v nodes are left", round, kept)
		}
	}
}
