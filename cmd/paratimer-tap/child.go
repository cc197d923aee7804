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

// start starts a command with these files as its standard streams. It passes a script without "#!" to the shell, as
// Java and shells do.
func start(path string, argv []string, files []*os.File) (*os.Process, error) {
	attr := &os.ProcAttr{Files: files, Env: os.Environ(), Sys: dieWithTap()}
	p, err := os.StartProcess(path, argv, attr)
	if errors.Is(err, unix.ENOEXEC) {
		return os.StartProcess("/bin/sh", append([]string{"sh", path}, argv[1:]...), attr)
	}
	return p, err
}

// replace executes the command in place of this process, so without a tap.
func replace(path string, argv []string) error {
	err := unix.Exec(path, argv, os.Environ())
	if errors.Is(err, unix.ENOEXEC) {
		return unix.Exec("/bin/sh", append([]string{"sh", path}, argv[1:]...), os.Environ())
	}
	return err
}

// exitCode returns the command's exit code for the tap to exit with: 128 plus the signal if a signal ended the
// command.
func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// forwarded are the signals that the tap passes on to the command.
var forwarded = []os.Signal{
	unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGWINCH,
	unix.SIGCONT,
}

// catch starts to catch signals before the command is started, so that none is lost. Ignored signals stay ignored.
func catch() chan os.Signal {
	c := make(chan os.Signal, 64)
	for _, s := range forwarded {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}

// forward sends caught signals to the command. Tasks have no terminal, which would send its signals to both.
func forward(c <-chan os.Signal, p *os.Process) {
	for s := range c {
		_ = p.Signal(s)
	}
}

// leave closes the tap's copy of a standard descriptor that the command uses. Otherwise the other end would not
// notice when the command closes it.
func leave(fd int) {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		_ = unix.Close(fd)
		return
	}
	_ = dup(null, fd)
	_ = unix.Close(null)
}

// The main thread starts the command and must live as long as the tap: the command dies with this thread.
func init() { runtime.LockOSThread() }
