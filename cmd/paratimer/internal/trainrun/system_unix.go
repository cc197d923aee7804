//go:build unix

package trainrun

import (
	"os"
	"os/exec"
	"syscall"
)

// flock locks a file, or fails at once with EWOULDBLOCK if another process has locked it.
func flock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// grouped starts a command in its own process group, which SIGTERM ends as a whole.
func grouped(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// killGroup kills the remaining processes of the command's group.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
