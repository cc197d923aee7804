package training

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// A File is the CSV file of the measured runs. Its first line contains the command, so that times of two commands do
// not mix; the columns machines, scale and seconds follow.
type File struct {
	Rows []ernest.Row
	// Cut is an incomplete line at the end, which is not a row; "" if there is none.
	Cut string

	path    string
	command Template
	text    string // the complete lines
	write   Writer
}

// A Writer replaces the content of the file at path, all of it or nothing.
type Writer func(path string, content func(io.Writer) error) error

const (
	mark     = "# paratimer ernest run: "
	header   = "machines,scale,seconds\n"
	mostFile = 64 << 20 // bytes
)

// Open reads the file at a path, for runs of a command, and changes nothing. A missing file has no rows. write saves
// the file.
func Open(path string, command Template, write Writer) (*File, error) {
	f := &File{path: path, command: command, text: mark + strconv.Quote(command.text) + "\n" + header, write: write}
	b, err := infile.ReadFile(path, mostFile)
	if errors.Is(err, os.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the rows: %w", err)
	}
	if strings.HasPrefix(f.text, string(b)) { // nothing yet, or cut off before the first row
		return f, nil
	}
	whole := string(b[:strings.LastIndexByte(string(b), '\n')+1])
	if !strings.HasPrefix(whole, f.text) {
		first, _, _ := strings.Cut(whole, "\n")
		if other, ok := strings.CutPrefix(first, mark); ok && strings.HasPrefix(whole, first+"\n"+header) {
			return nil, fmt.Errorf("%s has the times of another command, %s: choose another --out, or give that command",
				path, other)
		}
		return nil, fmt.Errorf("%s: not a file of `paratimer ernest run`: choose another --out", path)
	}
	f.Cut = string(b[len(whole):])
	if whole == f.text {
		return f, nil
	}
	f.text = whole
	runs, err := ReadRuns(whole, path, Columns{Machines: "machines", Scale: "scale", Seconds: "seconds"})
	if err != nil {
		return nil, err
	}
	f.Rows = runs.Rows
	return f, nil
}

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

// Add adds a run. When it returns, the row is in the file, with those that another process added meanwhile, or the file
// is unchanged.
func (f *File) Add(r ernest.Row) error {
	now, err := Open(f.path, f.command, f.write)
	if err != nil {
		return err
	}
	now.text += units.Digits(r.Machines) + "," + units.Digits(r.Scale) + "," + units.Digits(r.Seconds) + "\n"
	now.Rows = append(now.Rows, r)
	if err := now.Save(); err != nil {
		return err
	}
	*f = *now
	return nil
}

// Save writes the complete lines: the file is a table at any time.
func (f *File) Save() error {
	return f.write(f.path, func(w io.Writer) error {
		_, err := io.WriteString(w, f.text)
		return err
	})
}
