// Command server runs procgraph.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"procgraph/cmd/server/app"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	options, err := app.ParseOptions(os.Args[1:], os.LookupEnv, os.Stderr)
	if errors.Is(err, app.ErrHelp) {
		return
	}
	if err == nil {
		err = app.Run(ctx, options, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "procgraph:", err)
		stop()
		os.Exit(1)
	}
}
