//go:build unix

package mcptools

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process into a group of its own, so that what it starts ends with it, and a Ctrl-C is ours alone.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // it may be gone

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // likewise
