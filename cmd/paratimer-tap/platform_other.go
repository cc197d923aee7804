//go:build unix && !linux

package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func dieWithTap() *syscall.SysProcAttr { return nil }

func dup(from, to int) error { return unix.Dup2(from, to) }

// Other systems cannot make a pipe narrow, so groups are measured in steps of a pipe's capacity.

func narrow(int) bool { return false }

func widen(int) {}

func unread(int) (int, bool) { return 0, false }
