package mcptools

import (
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
}

func startProcess(command, env []string) (*process, error) {
	p := &process{stderr: &tail{}, exited: make(chan struct{})}
	p.cmd = exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // it is the command that the person gave; end ends it, gently first
	p.cmd.Env = env
	p.cmd.Stderr = p.stderr
	p.cmd.WaitDelay = exitGrace // a grandchild may hold standard error open
	ownGroup(p.cmd)
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err == nil {
		// A pipe of our own: Wait would close the command's while it is still read.
		var w *os.File
		if p.stdout, w, err = os.Pipe(); err == nil {
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

// alreadyEnded tells whether the process ended by itself, which after an error may be seen a moment late.
func (p *process) alreadyEnded(err error) bool {
	wait := time.Duration(0)
	if err != nil {
		wait = 200 * time.Millisecond
	}
	select {
	case <-p.exited:
		return true
	case <-time.After(wait):
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
