// Package outfile writes the files that a user names: logs, and files that are replaced as a whole, so that a reader
// finds either the old content or all of the new one.
package outfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// An Error means that a file cannot be written, and why.
type Error struct {
	Path string
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("cannot write %s: %v", e.Path, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// Write replaces the content of the file at path and creates the file if need be. It writes into a device or a pipe
// directly, and follows links. It returns an *Error or content's own error. After an error the old file is unchanged,
// unless path is a device or a pipe.
func Write(path string, content func(io.Writer) error) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return &Error{path, errors.New("it is a folder; give a file in it")}
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return reason(path, err)
		}
		return errors.Join(fill(f, path, content), f.Close())
	}
	place := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		place = real
	}
	f, err := beside(place)
	if err != nil {
		return reason(path, err)
	}
	err = fill(f, path, content)
	if err == nil {
		err = settle(f, path, info)
	}
	if e := f.Close(); err == nil && e != nil {
		err = reason(path, e)
	}
	if err == nil {
		if err = os.Rename(f.Name(), place); err == nil {
			return nil
		}
		err = reason(path, err)
	}
	return errors.Join(err, os.Remove(f.Name()))
}

// beside creates a file in the folder of another, with the default permissions of a new file.
func beside(path string) (*os.File, error) {
	for {
		name := "." + filepath.Base(path) + "." + strconv.FormatUint(rand.Uint64(), 36)
		f, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// fill writes the content of path into f, which may have another name for now.
func fill(f *os.File, path string, content func(io.Writer) error) error {
	w := bufio.NewWriter(f)
	err := content(w)
	if err == nil {
		err = w.Flush()
	}
	if at := new(fs.PathError); errors.As(err, &at) && at.Path == f.Name() {
		return reason(path, at)
	}
	return err
}

// settle gives f the permissions of the former file, if there was one, and waits until f is on the disk.
func settle(f *os.File, path string, was fs.FileInfo) error {
	if was != nil {
		if err := f.Chmod(was.Mode().Perm()); err != nil {
			return reason(path, err)
		}
	}
	if err := f.Sync(); err != nil {
		return reason(path, err)
	}
	return nil
}

// reason returns an *Error for the file at path. It drops the path in err, which may name a temporary file.
func reason(path string, err error) error {
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &at):
		err = at.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &Error{path, err}
}
