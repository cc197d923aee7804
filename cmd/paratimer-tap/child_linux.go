package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithTap makes the kernel kill the command if the tap is killed, because the kill would have hit the command
// without a tap. A reduce's command may see the end of its input an instant earlier. Its output then does not count,
// because the attempt fails with the tap.
func dieWithTap() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

func dup(from, to int) error { return unix.Dup3(from, to, unix.O_CLOEXEC) }
