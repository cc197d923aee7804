//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/paratimer/paratimer/adapters/tap"
)

// A startError means that a command cannot be started. It has the exit code that a shell uses.
type startError struct {
	command string
	why     string
	code    int
}

func (e *startError) Error() string { return e.command + ": " + e.why }

const (
	notFound    = 127
	notRunnable = 126
)

// lookUp finds a command as a shell does. In a task, a file of the working folder takes precedence and is made
// executable, because Streaming finds its commands there.
func lookUp(command, searched string, inTask bool) (string, error) {
	if strings.ContainsRune(command, '/') {
		return command, nil
	}
	if command == "" {
		return "", &startError{`""`, "command not found", notFound}
	}
	if info, err := os.Stat(command); inTask && err == nil && info.Mode().IsRegular() {
		if info.Mode()&0o111 == 0 {
			// Streaming does the same. If it fails, the start reports the error.
			_ = os.Chmod(command, info.Mode()|0o111)
		}
		return "./" + command, nil
	}
	for folder := range strings.SplitSeq(searched, ":") {
		p := filepath.Join(folder, command)
		if folder == "" {
			p = "./" + command
		}
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return p, nil
		}
	}
	return "", &startError{command, "command not found", notFound}
}

// explain converts an error of starting a command into a shell's error.
func explain(command string, err error) error {
	why, code := err.Error(), notRunnable
	if number, ok := errors.AsType[unix.Errno](err); ok {
		why = number.Error()
	}
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		code = notFound
	}
	return &startError{command, why, code}
}

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

// ancestors searches the command lines of the parent processes for the attempt's id, because Hadoop passes it to the
// task's Java process. It returns "" if there is none, or no /proc.
func ancestors() string {
	pid := os.Getppid()
	for range 10 {
		line := readProc(pid, "cmdline")
		if bytes.Contains(line, []byte("YarnChild")) {
			for arg := range bytes.SplitSeq(line, []byte{0}) {
				if _, err := tap.ParseAttempt(string(arg)); err == nil {
					return string(arg)
				}
			}
		}
		// The format is "pid (name) state ppid"; the name may contain any character.
		stat := readProc(pid, "stat")
		after := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(after) < 2 {
			return ""
		}
		parent, err := strconv.Atoi(string(after[1]))
		if err != nil || parent < 1 {
			return ""
		}
		pid = parent
	}
	return ""
}

func readProc(pid int, name string) []byte {
	f, err := os.Open(fmt.Sprintf("/proc/%d/%s", pid, name))
	if err != nil {
		return nil
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 1<<20))
	return b
}
