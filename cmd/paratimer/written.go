package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"
)

// write writes to a file, or to stdout where path is -. A file is written beside its place first, so that nobody ever reads half of
// it, and replaces what was there; then it is said on stderr where it is.
func write(c *cli.Context, path string, content func(io.Writer) error) (err error) {
	if path == "-" {
		out := bufio.NewWriter(c.App.Writer)
		return errors.Join(content(out), out.Flush())
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return usage("--out %s: it is a folder; give a file in it", path)
	case err == nil && !info.Mode().IsRegular(): // a device or a pipe must stay what it is
		return writeInto(path, content)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return usage("cannot write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	out := bufio.NewWriter(f)
	for _, step := range []func() error{
		func() error { return content(out) }, out.Flush, func() error { return f.Chmod(0o644) }, f.Sync, f.Close,
		func() error { return os.Rename(f.Name(), path) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("cannot write %s: %w", path, err)
		}
	}
	fmt.Fprintf(c.App.ErrWriter, "wrote %s\n", path)
	return nil
}

// writeInto writes to what is there already.
func writeInto(path string, content func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return usage("cannot write %s: %w", path, err)
	}
	out := bufio.NewWriter(f)
	if err := errors.Join(content(out), out.Flush(), f.Close()); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}
