//go:build unix

package sinks

import (
	"os/exec"
	"syscall"
)

// grouped starts a command in a process group of its own, to be killed as one.
func grouped(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
