package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/outfile"
)

// write writes to a file, and says on stderr where it is, or to stdout where path is -.
func write(c *cli.Context, path string, content func(io.Writer) error) error {
	if path == "-" {
		out := bufio.NewWriter(c.App.Writer)
		return errors.Join(content(out), out.Flush())
	}
	if err := writeFile(path, content); err != nil {
		return err
	}
	fmt.Fprintf(c.App.ErrWriter, "wrote %s\n", path)
	return nil
}

// writeFile writes a whole file, or leaves what was there.
func writeFile(path string, content func(io.Writer) error) error {
	err := outfile.Write(path, content)
	if cannot := new(outfile.Error); errors.As(err, &cannot) {
		return usage("%w", err)
	}
	return err
}
