//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
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
