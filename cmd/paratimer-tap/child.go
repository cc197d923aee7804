//go:build unix

package main

import (
	"errors"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// start starts a command with these files as its standard ones. A script without "#!" is given to the shell, as Java
// and shells do.
func start(path string, argv []string, files []*os.File) (*os.Process, error) {
	attr := &os.ProcAttr{Files: files, Env: os.Environ(), Sys: dieWithTap()}
	p, err := os.StartProcess(path, argv, attr)
	if errors.Is(err, unix.ENOEXEC) {
		return os.StartProcess("/bin/sh", append([]string{"sh", path}, argv[1:]...), attr)
	}
	return p, err
}

// replace makes this process the command: without a tap at all.
func replace(path string, argv []string) error {
	err := unix.Exec(path, argv, os.Environ())
	if errors.Is(err, unix.ENOEXEC) {
		return unix.Exec("/bin/sh", append([]string{"sh", path}, argv[1:]...), os.Environ())
	}
	return err
}

// A command's end is told by the tap's: its exit code, or 128 and the signal.
func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// forwarded are the signals that somebody may send to the tap and mean the command.
var forwarded = []os.Signal{
	unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGWINCH,
	unix.SIGCONT,
}

// catch begins to catch signals, before the command is started: none is lost. Those that are ignored stay so.
func catch() chan os.Signal {
	c := make(chan os.Signal, 64)
	for _, s := range forwarded {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}

// forward sends on what is caught. What a terminal sends has reached the command already.
func forward(c <-chan os.Signal, p *os.Process) {
	typed := foreground()
	for s := range c {
		if typed && (s == unix.SIGINT || s == unix.SIGQUIT || s == unix.SIGWINCH) {
			continue
		}
		_ = p.Signal(s)
	}
}

// foreground says whether a terminal's signals come to this process.
func foreground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// leave gives up a standard descriptor that is the command's alone now: else nobody would see that the command has
// closed it.
func leave(fd int) {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		_ = unix.Close(fd)
		return
	}
	_ = dup(null, fd)
	_ = unix.Close(null)
}

// The command is started by the main thread, which must live as long as the tap: the command dies with the thread.
func init() { runtime.LockOSThread() }
