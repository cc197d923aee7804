package trainrun

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A File is the CSV file of the measured runs. Its first line contains the command, so that times of two commands do
// not mix; the columns machines, scale and seconds follow.
type File struct {
	Rows []ernest.Row
	// Cut is an incomplete line at the end, which is not a row; "" if there is none.
	Cut string

	path string
	f    *os.File // nil if the file is only read
	size int64    // of the complete lines
}

const (
	mark     = "# paratimer ernest run: "
	header   = "machines,scale,seconds\n"
	maxBytes = 64 << 20
)

// Open opens the file at a path, or creates it, for runs of a command. It removes an incomplete line at the end. Only
// one process can have it open.
func Open(path string, command Template) (*File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("cannot write the rows: %w", err)
	}
	file := &File{path: path, f: f}
	if err := file.start(command); err != nil {
		f.Close()
		return nil, err
	}
	return file, nil
}

// Look reads the file at a path and changes nothing. A missing file has no rows.
func Look(path string, command Template) (*File, error) {
	f, err := infile.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return &File{path: path}, nil
	} else if err != nil {
		return nil, fmt.Errorf("cannot read the rows: %w", err)
	}
	defer f.Close()
	file := &File{path: path}
	return file, file.read(f, command)
}

func (f *File) start(command Template) error {
	if err := flock(f.f); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return fmt.Errorf("%s: another `paratimer ernest run` writes to it: wait for it, or choose another --out",
				f.path)
		}
		return fmt.Errorf("%s: cannot lock it: %w", f.path, err)
	}
	if err := f.read(f.f, command); err != nil {
		return err
	}
	if err := f.f.Truncate(f.size); err != nil {
		return fmt.Errorf("cannot repair the rows: %w", err)
	}
	if f.size > 0 {
		return nil
	}
	if err := f.append(opening(command)); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(f.path))
	if err != nil {
		return fmt.Errorf("cannot write the rows: %w", err)
	}
	return errors.Join(dir.Sync(), dir.Close()) // so that the file's name survives a crash as well
}

// read parses the complete lines.
func (f *File) read(in io.Reader, command Template) error {
	b, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("cannot read the rows: %w", err)
	case len(b) > maxBytes:
		return fmt.Errorf("%s: larger than %d MB: this is not a table of runs", f.path, maxBytes>>20)
	}
	whole := b[:bytes.LastIndexByte(b, '\n')+1]
	start := opening(command)
	if strings.HasPrefix(start, string(b)) { // nothing yet, or cut off before the first row
		if len(b) == len(start) {
			f.size = int64(len(start))
		}
		return nil
	}
	if !bytes.HasPrefix(whole, []byte(start)) {
		first, rest, _ := strings.Cut(string(whole), "\n")
		if quoted, ours := strings.CutPrefix(first, mark); ours && strings.HasPrefix(rest, header) {
			return fmt.Errorf("%s has the times of another command, %s: choose another --out, or give that command",
				f.path, quoted)
		}
		return fmt.Errorf("%s: not a file of `paratimer ernest run`: choose another --out", f.path)
	}
	f.Cut, f.size = string(b[len(whole):]), int64(len(whole))
	if len(whole) == len(start) {
		return nil
	}
	runs, err := ernestmodel.ReadRuns(bytes.NewReader(whole), f.path,
		ernestmodel.Columns{Machines: "machines", Scale: "scale", Seconds: "seconds"})
	if err == nil {
		f.Rows = runs.Rows
	}
	return err
}

// opening returns the first lines of the file of a command.
func opening(command Template) string { return mark + strconv.Quote(command.text) + "\n" + header }

// Count returns how many runs of a row there are.
func (f *File) Count(r ernest.DesignRow) int {
	n := 0
	for _, row := range f.Rows {
		if row.Machines == float64(r.Machines) && row.Scale == r.Scale {
			n++
		}
	}
	return n
}

// Add appends a run. When it returns, the row is on the disk, or the file is unchanged.
func (f *File) Add(r ernest.Row) error {
	row := units.Digits(r.Machines) + "," + units.Digits(r.Scale) + "," + units.Digits(r.Seconds) + "\n"
	if err := f.append(row); err != nil {
		return err
	}
	f.Rows = append(f.Rows, r)
	return nil
}

func (f *File) append(line string) error {
	_, err := f.f.WriteAt([]byte(line), f.size)
	if err == nil {
		err = f.f.Sync()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("cannot write the rows: %w", err), f.f.Truncate(f.size))
	}
	f.size += int64(len(line))
	return nil
}

// Close closes the file.
func (f *File) Close() error {
	if f.f == nil {
		return nil
	}
	return f.f.Close()
}
