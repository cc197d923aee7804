package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/outfile"
)

// Write writes to a file, and prints its path on stderr; or it writes to stdout if path is -.
func Write(c *cli.Context, path string, content func(io.Writer) error) error {
	if path == "-" {
		out := bufio.NewWriter(c.App.Writer)
		return errors.Join(content(out), out.Flush())
	}
	if err := WriteFile(path, content); err != nil {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "wrote %s\n", path)
	return nil
}

// WriteFile writes a whole file. If it fails the old content remains.
func WriteFile(path string, content func(io.Writer) error) error {
	err := outfile.Write(path, content)
	if cannot := new(outfile.Error); errors.As(err, &cannot) {
		return Usage("%w", err)
	}
	return err
}

// Closing closes c. If there is no error yet, it stores that of Close in err.
func Closing(c io.Closer, what string, err *error) {
	if e := c.Close(); e != nil && *err == nil {
		*err = fmt.Errorf("cannot close %s: %w", what, e)
	}
}

// maxSinkFile bounds files of secrets, templates and certificates.
const maxSinkFile = 1 << 20

// ReadBounded returns the content of a file, or an error if it is larger than 1 MiB.
func ReadBounded(path string) ([]byte, error) {
	f, err := infile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSinkFile+1))
	if err == nil && len(b) > maxSinkFile {
		err = fmt.Errorf("%s: it is larger than 1 MiB", path)
	}
	return b, err
}
