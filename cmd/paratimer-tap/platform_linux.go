package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithTap makes the kernel kill the command if the tap is killed, because the kill would have hit the command
// without a tap. A reduce's command may see the end of its input an instant earlier. Its output then does not count,
// because the attempt fails with the tap.
func dieWithTap() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

func dup(from, to int) error { return unix.Dup3(from, to, unix.O_CLOEXEC) }

// narrow limits a pipe to one page. The pipe then accepts data only after its reader has taken everything. It returns
// false if that is not possible now.
func narrow(fd int) bool {
	got, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, os.Getpagesize())
	return err == nil && got == os.Getpagesize()
}

// widen resets a pipe to the usual capacity.
func widen(fd int) {
	_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 64<<10)
}

// unread returns the number of bytes in a pipe; ok is false if it is unknown.
func unread(fd int) (n int, ok bool) {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	return n, err == nil
}
