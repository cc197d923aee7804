//go:build unix

package state

import (
	"errors"
	"os"
	"syscall"
)

// flock locks a file, or fails at once with EWOULDBLOCK if another process has locked it.
func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
