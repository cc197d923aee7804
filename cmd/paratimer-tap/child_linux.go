package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithTap lets the kernel kill the command if the tap is killed, as it would have been without a tap. A reduce's
// command may see the end of its input an instant before: what it makes of that nobody takes, for the tap's end has
// failed the attempt.
func dieWithTap() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

func dup(from, to int) error { return unix.Dup3(from, to, unix.O_CLOEXEC) }
