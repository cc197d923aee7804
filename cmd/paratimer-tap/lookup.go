//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A startError is that a command cannot be started, with the exit code that a shell has for it.
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

// lookUp finds a command as a shell does. In a task a file of its working folder comes first, and is made executable:
// that is how Streaming finds its commands.
func lookUp(command, searched string, inTask bool) (string, error) {
	if strings.ContainsRune(command, '/') {
		return command, nil
	}
	if command == "" {
		return "", &startError{`""`, "command not found", notFound}
	}
	if info, err := os.Stat(command); inTask && err == nil && info.Mode().IsRegular() {
		if info.Mode()&0o111 == 0 {
			// As Streaming would have done; if it cannot be done, starting says why.
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

// explain turns what starting a command has returned into what a shell says.
func explain(command string, err error) error {
	var number unix.Errno
	if !errors.As(err, &number) {
		return &startError{command, err.Error(), notRunnable}
	}
	switch number {
	case unix.ENOENT, unix.ENOTDIR:
		return &startError{command, "No such file or directory", notFound}
	case unix.EACCES:
		if info, err := os.Stat(command); err == nil && info.IsDir() {
			return &startError{command, "Is a directory", notRunnable}
		}
		return &startError{command, "Permission denied", notRunnable}
	}
	return &startError{command, number.Error(), notRunnable}
}
