//go:build !unix

package trainrun

import (
	"errors"
	"os"
	"os/exec"
)

// flock fails: without a lock that the system releases, two programs could write the same rows.
func flock(*os.File) error {
	return errors.New("this system has no locks of files: training runs need Linux or another Unix")
}

// grouped does nothing: there are no process groups.
func grouped(*exec.Cmd) {}

// killGroup kills the command.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
