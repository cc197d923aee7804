package command

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
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

// WriteFile replaces the content of the file at path and creates the file if need be, so that a reader finds either the
// old content or all of the new one. It writes into a device or a pipe directly, and follows links. It returns a
// UsageError or content's own error. After an error the old file is unchanged, unless path is a device or a pipe.
func WriteFile(path string, content func(io.Writer) error) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return Usage("cannot write %s: it is a folder; give a file in it", path)
	}
	place, flags := path, os.O_WRONLY
	if real, err := filepath.EvalSymlinks(path); err == nil {
		place = real
	}
	name := place // of the file to write
	if err != nil || info.Mode().IsRegular() {
		name = filepath.Join(filepath.Dir(place), "."+filepath.Base(place)+"."+strconv.FormatUint(rand.Uint64(), 36))
		flags |= os.O_CREATE | os.O_EXCL
	}
	f, err := os.OpenFile(name, flags, 0o666)
	if err != nil {
		return unwritten(path, name, err)
	}
	w := bufio.NewWriter(f)
	err = content(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil && info != nil && name != place {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil && name != place {
		err = f.Sync()
	}
	err = cmp.Or(err, f.Close())
	if name == place {
		return unwritten(path, name, err)
	}
	if err == nil {
		err = os.Rename(name, place)
	}
	if err != nil {
		_ = os.Remove(name) // the first error is the one to return
	}
	return unwritten(path, name, err)
}

// unwritten returns the error for the file at path. It drops the name of the temporary file.
func unwritten(path, name string, err error) error {
	if at := new(fs.PathError); errors.As(err, &at) && at.Path == name {
		return Usage("cannot write %s: %w", path, at.Err)
	}
	if link := new(os.LinkError); errors.As(err, &link) && link.Old == name {
		return Usage("cannot write %s: %w", path, link.Err)
	}
	return err
}

// Format returns the format of a command's output: --output, else the extension of --out.
func Format(c *cli.Context) string {
	kind := strings.ToLower(strings.TrimPrefix(filepath.Ext(c.String("out")), "."))
	if c.IsSet("output") || !slices.Contains(settings.Lookup(fullName(c), "output").Offers(), kind) {
		return c.String("output")
	}
	return kind
}

// Print prints a result by --output: in JSON, or as text.
func Print(c *cli.Context, v any, text func(io.Writer) error) error {
	if c.String("output") == "text" {
		return text(c.App.Writer)
	}
	return view.JSON(c.App.Writer, v, "")
}

// Show writes a result to a file, or to stdout if path is "" or "-": by Format as JSON, or its document as HTML or as
// text.
func Show(c *cli.Context, path string, v interface{ Document() *page.Document }) error {
	return Write(c, cmp.Or(path, "-"), func(w io.Writer) error {
		switch Format(c) {
		case "json":
			return view.JSON(w, v, "  ")
		case "html":
			return v.Document().HTML(w)
		}
		return v.Document().Text(w)
	})
}

// Closing closes c. If there is no error yet, it stores that of Close in err.
func Closing(c io.Closer, what string, err *error) {
	if e := c.Close(); e != nil && *err == nil {
		*err = fmt.Errorf("cannot close %s: %w", what, e)
	}
}

// MaxSinkFile bounds files of secrets and templates, in bytes.
const MaxSinkFile = 1 << 20
