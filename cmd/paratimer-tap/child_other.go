//go:build unix && !linux

package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func dieWithTap() *syscall.SysProcAttr { return nil }

func dup(from, to int) error { return unix.Dup2(from, to) }
