//go:build unix

package sinks

import (
	"os/exec"
	"syscall"
)

// grouped starts a command in its own process group, so that a timeout kills its children too.
func grouped(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
