package flow

import (
	"os"

	"golang.org/x/sys/unix"
)

// narrow makes a pipe hold one page: then it can be written to only when its reader has taken everything. It is false
// where that cannot be had now.
func narrow(fd int) bool {
	got, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, os.Getpagesize())
	return err == nil && got == os.Getpagesize()
}

// widen makes a pipe what it usually is.
func widen(fd int) {
	_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 64<<10)
}

// unread is how many bytes are in a pipe; ok is false if it does not tell.
func unread(fd int) (n int, ok bool) {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	return n, err == nil
}
