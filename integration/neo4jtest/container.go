package neo4jtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	// image is what the script "ensure" of integration/neo4jimage provides, pulled or built.
	image = "neo4j:5.26.12-community"
	bolt  = "7687/tcp"
	// ownerLabel marks our containers with host/pid of the process that started them.
	ownerLabel = "procgraph.neo4jtest.owner"
)

// database is one Neo4j container.
type database struct {
	container testcontainers.Container
	port      int
	password  string
}

func startDatabase(ctx context.Context, measured bool) (*database, error) {
	log.SetDefault(log.NewNoopLogger())
	// The library's own clean-up runs in a container whose image is not to be had everywhere; Main and
	// removeAbandoned do its work.
	if err := os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true"); err != nil {
		return nil, err
	}
	if err := ensured(ctx); err != nil {
		return nil, fmt.Errorf("%w; `make test` starts a container engine and provides the image %s", err, image)
	}

	var errs []error
	for range 3 {
		d, err := runDatabase(ctx, measured)
		if err == nil {
			return d, nil
		}
		errs = append(errs, err)
		// Between the choice of a port and its use another process may have taken it.
		if !strings.Contains(err.Error(), "port is already allocated") && !strings.Contains(err.Error(), "address already in use") {
			break
		}
	}
	return nil, errors.Join(errs...)
}

// ensured answers an error if the container engine does not answer or has no image, and removes what killed
// test runs left.
func ensured(ctx context.Context) error {
	engine, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return fmt.Errorf("no container engine answers: %w", err)
	}
	defer func() { _ = engine.Close() }()
	if _, err := engine.ImageInspect(ctx, image); err != nil {
		return fmt.Errorf("the container engine has no Neo4j: %w", err)
	}
	return removeAbandoned(ctx, engine)
}

// removeAbandoned removes the containers of test processes of this machine that are gone.
func removeAbandoned(ctx context.Context, engine *testcontainers.DockerClient) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	found, err := engine.ContainerList(ctx, client.ContainerListOptions{
		All:     true,
		Filters: make(client.Filters).Add("label", ownerLabel),
	})
	if err != nil {
		return fmt.Errorf("list containers: %w", err)
	}
	for _, c := range found.Items {
		pid, err := strconv.Atoi(strings.TrimPrefix(c.Labels[ownerLabel], host+"/"))
		if err != nil || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			continue
		}
		// Another test binary may be removing it too: then there is nothing left to do.
		_, _ = engine.ContainerRemove(ctx, c.ID, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	}
	return nil
}

// quickStart lets Java compile only fast: that halves the work of a start, which for most test binaries is more than all
// their statements.
var quickStart = map[string]string{"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}

// runDatabase starts a database. One that is measured compiles as Java does by itself, and on Linux it listens on the
// machine's loopback: the engine's proxy in front of a container would be measured with it.
func runDatabase(ctx context.Context, measured bool) (*database, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	d := &database{port: port, password: rand.Text()}
	request := testcontainers.ContainerRequest{
		Image:        image,
		ExposedPorts: []string{bolt},
		Env: map[string]string{
			"NEO4J_AUTH":                             "neo4j/" + d.password,
			"NEO4J_server_memory_heap_initial__size": "1g",
			"NEO4J_server_memory_heap_max__size":     "1g",
			"NEO4J_server_memory_pagecache_size":     "512m",
			"NEO4J_server_http_enabled":              "false",
			"NEO4J_dbms_usage__report_enabled":       "false",
		},
		Labels: map[string]string{ownerLabel: host + "/" + strconv.Itoa(os.Getpid())},
		HostConfigModifier: func(c *container.HostConfig) {
			// A port of our own choice, since the engine chooses anew at every start.
			c.PortBindings = network.PortMap{network.MustParsePort(bolt): {{
				HostIP:   netip.MustParseAddr("127.0.0.1"),
				HostPort: strconv.Itoa(port),
			}}}
		},
		WaitingFor: wait.ForLog("Started.").WithStartupTimeout(startTimeout),
	}
	if !measured {
		maps.Copy(request.Env, quickStart)
	} else if runtime.GOOS == "linux" {
		request.Env["NEO4J_server_bolt_listen__address"] = "127.0.0.1:" + strconv.Itoa(port)
		request.ExposedPorts = nil
		request.HostConfigModifier = func(c *container.HostConfig) { c.NetworkMode = "host" }
	}
	c, err := testcontainers.GenericContainer(ctx, testcontainers.GenericContainerRequest{
		ContainerRequest: request,
		Started:          true,
	})
	d.container = c
	if err != nil {
		cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		return nil, errors.Join(fmt.Errorf("start %s: %w%s", image, err, d.logTail(cleanup)), d.remove(cleanup))
	}
	return d, nil
}

// freePort finds a port below those that the system gives to outgoing connections: while the database is
// stopped, a client that dials a port of that range could be connected to itself. Processes start looking at
// different places.
func freePort(ctx context.Context) (int, error) {
	const first, count = 15000, 15000
	var err error
	for i := range count {
		port := first + (os.Getpid()*7+i)%count
		var listener net.Listener
		if listener, err = new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return port, listener.Close()
		}
	}
	return 0, fmt.Errorf("find a free port: %w", err)
}

func (d *database) uri() string { return "neo4j://127.0.0.1:" + strconv.Itoa(d.port) }

func (d *database) start(ctx context.Context) error {
	if err := d.container.Start(ctx); err != nil {
		return fmt.Errorf("start the stopped neo4j: %w", err)
	}
	return nil
}

func (d *database) stop(ctx context.Context, grace time.Duration) error {
	if err := d.container.Stop(ctx, &grace); err != nil {
		return fmt.Errorf("stop neo4j: %w", err)
	}
	return nil
}

func (d *database) remove(ctx context.Context) error {
	if d.container == nil {
		return nil
	}
	// The data goes too, so there is nothing to shut down in order.
	if err := d.container.Terminate(ctx, testcontainers.StopTimeout(0)); err != nil {
		return fmt.Errorf("remove neo4j: %w", err)
	}
	return nil
}

// logTail answers the end of the database's log as the end of an error message.
func (d *database) logTail(ctx context.Context) string {
	if d.container == nil {
		return ""
	}
	logs, err := d.container.Logs(ctx)
	if err != nil {
		return ""
	}
	defer func() { _ = logs.Close() }()
	text, err := io.ReadAll(io.LimitReader(logs, 1<<20))
	if err != nil || len(text) == 0 {
		return ""
	}
	return "; its log ends:\n" + string(text[max(0, len(text)-2000):])
}
