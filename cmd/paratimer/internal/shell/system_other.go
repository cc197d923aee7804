//go:build !unix

package shell

import "os/exec"

// grouped does nothing: there are no process groups.
func grouped(*exec.Cmd) {}

// killGroup kills the command.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
