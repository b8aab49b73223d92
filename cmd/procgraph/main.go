// Command procgraph is the command line of a procgraph server.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"procgraph/cmd/procgraph/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal stops cleanly; after it a second one ends the process at once.
	context.AfterFunc(ctx, stop)
	status := cli.Run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}
