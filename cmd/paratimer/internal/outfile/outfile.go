// Package outfile writes the files that a user asks for: whole ones, of which a reader finds what was there before or
// all that came instead of it, and logs.
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

// An Error says that a file cannot be written, and why.
type Error struct {
	Path string
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("cannot write %s: %v", e.Path, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// Write puts content in the place of the file at path, which is created if need be. A device or a pipe stays what it
// is, and a link leads to where it led. An error is an *Error or content's own; unless path is a device or a pipe, it
// leaves what was there.
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

// beside creates a file in the folder of another, with the permissions that a new file has here.
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

// settle gives a file the permissions of what was at path, if anything was, and waits until it is on the disk.
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

// reason is an error of the file at path; err may name one that nobody asked for.
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
