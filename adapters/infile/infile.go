// Package infile opens files that a user names, and refuses what no file of ours can be.
package infile

import (
	"errors"
	"io/fs"
	"os"
)

// Open opens a file to be read once from its beginning: a regular one or a pipe, such as a shell's <(…). A device or a socket is
// refused before it is opened, for /dev/zero has no end. A folder is for the caller to refuse. Errors are *fs.PathError.
func Open(path string) (*os.File, error) {
	return open(path, fs.ModeDir|fs.ModeNamedPipe, "it is a device or a socket: give a file, or a pipe that ends")
}

// OpenRegular is Open of a file that nobody makes while it is read: a pipe is refused as well, for one that nobody writes to
// would be waited for.
func OpenRegular(path string) (*os.File, error) {
	return open(path, fs.ModeDir, "it is a pipe, a device or a socket: give a regular file")
}

func open(path string, allowed fs.FileMode, refused string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().Type()&^allowed != 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New(refused)}
	}
	return os.Open(path)
}
