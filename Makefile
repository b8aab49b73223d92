# Go and a C compiler are needed; everything else is fetched or built.

GO ?= go
LINT = $(GO) tool -modfile=tools/go.mod golangci-lint
# More flags for the tests and the benchmark, such as TESTFLAGS='-run TestRoundTrip -v'.
TESTFLAGS ?=
BENCHFLAGS ?=
FLAGS ?=

.PHONY: run test bench generate lint build neo4j-image mcp-servers clean

# Starts the service with the demonstration graph; FLAGS='--listen 127.0.0.1:9000' adds flags.
run:
	$(GO) run ./cmd/server --demo $(FLAGS)

# Everything, with the race detector, a real Neo4j and real MCP servers.
test: neo4j-image mcp-servers
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) test -race -timeout 20m $(TESTFLAGS) ./...

# One table of both stores at 1,000 and 50,000 procedures, and the analysis by itself.
bench: neo4j-image
	$(GO) test -run '^$$' -bench . -timeout 60m $(BENCHFLAGS) ./procedures
	$(GO) test -run '^$$' -bench . -benchtime 1x -timeout 60m $(BENCHFLAGS) ./integration

generate:
	$(GO) generate ./...

# The linter has a module of its own, so that its dependencies are not those of the service.
lint:
	$(LINT) run ./...

build:
	$(GO) build -o bin/ ./cmd/...

# The MCP servers that the tests of `procgraph tools import` read, and npm where it is missing.
mcp-servers:
	@integration/mcpservers/ensure

# A container engine that answers and an image of Neo4j, started and built where they are missing.
neo4j-image:
	@integration/neo4jimage/ensure

clean:
	rm -rf bin
