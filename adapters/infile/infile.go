// Package infile opens files that a user names, and refuses what no file of ours can be.
package infile

import (
	"errors"
	"io/fs"
	"os"
)

// Open opens a file to be read once from its beginning: a regular one or a pipe, such as a shell's <(…). A device or a
// socket is refused before it is opened, because /dev/zero has no end; /dev/null is an empty file. A folder is for the
// caller to refuse. Errors are *fs.PathError.
func Open(path string) (*os.File, error) {
	return open(path, fs.ModeDir|fs.ModeNamedPipe, "it is a device or a socket: give a file, or a pipe that ends")
}

// OpenRegular is Open without pipes: opening a pipe that nobody writes to would wait forever.
func OpenRegular(path string) (*os.File, error) {
	return open(path, fs.ModeDir, "it is a pipe, a device or a socket: give a regular file")
}

func open(path string, allowed fs.FileMode, refused string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().Type()&^allowed != 0 && path != os.DevNull {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New(refused)}
	}
	return os.Open(path)
}
