package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithTap lets the kernel kill the command if the tap is killed: else a reduce's command would take the end of the tap for
// the end of its input.
func dieWithTap() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

func dup(from, to int) error { return unix.Dup3(from, to, unix.O_CLOEXEC) }
