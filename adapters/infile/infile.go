// Package infile opens files that users name, and refuses devices and sockets.
package infile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a file that is read once from its beginning: a regular file or a pipe, such as a shell's <(…). It
// refuses devices and sockets before it opens them, because /dev/zero has no end; /dev/null is an empty file. The
// caller must refuse folders. Errors are *fs.PathError.
func Open(path string) (*os.File, error) {
	return open(path, fs.ModeDir|fs.ModeNamedPipe, "it is a device or a socket: give a file, or a pipe that ends")
}

// OpenRegular is Open without pipes. Opening a pipe without a writer would block forever.
func OpenRegular(path string) (*os.File, error) {
	return open(path, fs.ModeDir, "it is a pipe, a device or a socket: give a regular file")
}

// ReadAll reads and closes a file of at most this many bytes. Errors are *fs.PathError.
func ReadAll(f *os.File, most int64) ([]byte, error) {
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = &fs.PathError{Op: "read", Path: f.Name(), Err: fmt.Errorf("it is longer than %d KiB", most>>10)}
	}
	return b, err
}

func open(path string, allowed fs.FileMode, refused string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().Type()&^allowed != 0 && path != os.DevNull {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New(refused)}
	}
	return os.Open(path)
}
