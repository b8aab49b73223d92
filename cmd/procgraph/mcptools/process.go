package mcptools

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	exitGrace = 2 * time.Second // for each step of ending a process
	tailBytes = 4 << 10
	tailLines = 10
)

// process is a running MCP server with everything that it started.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr *tail
	exited chan struct{}

	mu     sync.Mutex
	closed bool // its input was closed, after which an ordinary server ends
	lost   bool // before that it was gone, or its end of a pipe was
}

func startProcess(command, env []string) (*process, error) {
	p := &process{stderr: &tail{}, exited: make(chan struct{})}
	p.cmd = exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // it is the command that the person gave; end ends it, gently first
	p.cmd.Env = env
	p.cmd.Stderr = p.stderr
	p.cmd.WaitDelay = exitGrace // a grandchild may hold standard error open
	ownGroup(p.cmd)
	stdin, err := p.cmd.StdinPipe()
	if err == nil {
		p.stdin = &input{WriteCloser: stdin, p: p}
		// A pipe of our own: Wait would close the command's while it is still read.
		var r, w *os.File
		if r, w, err = os.Pipe(); err == nil {
			p.stdout = &output{ReadCloser: r, p: p}
			p.cmd.Stdout = w
			err = p.cmd.Start()
			_ = w.Close()
		}
	}
	if err != nil {
		return nil, failed("the MCP server cannot be started: %v", err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is in its state
		close(p.exited)
	}()
	return p, nil
}

// input is the standard input of a process, and output its standard output. They note who ended the connection.
type input struct {
	io.WriteCloser
	p *process
}

func (i *input) Write(b []byte) (int, error) {
	n, err := i.WriteCloser.Write(b)
	if err != nil {
		i.p.isLost()
	}
	return n, err
}

func (i *input) Close() error {
	select {
	case <-i.p.exited:
		i.p.isLost()
	default:
	}
	i.p.mu.Lock()
	i.p.closed = true
	i.p.mu.Unlock()
	return i.WriteCloser.Close()
}

type output struct {
	io.ReadCloser
	p *process
}

func (o *output) Read(b []byte) (int, error) {
	n, err := o.ReadCloser.Read(b)
	if errors.Is(err, io.EOF) {
		o.p.isLost()
	}
	return n, err
}

func (p *process) isLost() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = p.lost || !p.closed
}

// endedItself tells whether the process ended before its input was closed, which may be seen a moment late.
func (p *process) endedItself() bool {
	p.mu.Lock()
	lost := p.lost
	p.mu.Unlock()
	if !lost {
		return false
	}
	select {
	case <-p.exited:
		return true
	case <-time.After(200 * time.Millisecond):
		return false
	}
}

// end ends the process: by closing its input, by asking, by force. It answers how it ended.
func (p *process) end() string {
	_ = p.stdin.Close() // it may be gone
	for _, step := range []func(*exec.Cmd){func(*exec.Cmd) {}, terminate, kill} {
		step(p.cmd)
		select {
		case <-p.exited:
		case <-time.After(exitGrace):
			continue
		}
		break
	}
	kill(p.cmd) // what it started may have outlived it
	<-p.exited
	_ = p.stdout.Close()
	return p.cmd.ProcessState.String()
}

// tail keeps the end of what is written.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p[max(0, len(p)-tailBytes):]...)
	t.b = t.b[max(0, len(t.b)-tailBytes):]
	return len(p), nil
}

func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(string(t.b))
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-tailLines):]
}
