//go:build unix

package state

import (
	"os"
	"syscall"
)

// flock locks a file, or fails at once with EWOULDBLOCK if another process has locked it.
func flock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
