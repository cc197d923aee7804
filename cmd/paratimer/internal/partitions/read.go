// Package partitions measures the files of a folder that are the partitions of a job's input: how many rows and
// nonzero entries they have (Ernest, NSDI 2016, §4.2). Of a large file it reads evenly spaced pieces, so that the
// time depends on the number of files and not on their size.
package partitions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/estimators/ernest"
)

// A Folder has measured partitions, in the order of their files' names.
type Folder struct {
	Files   []string // their paths
	All     []ernest.Partition
	Read    int64 // bytes that were read
	Sampled int   // how many files were read in pieces
}

// Limits in bytes: for all files together, and for one of them.
const (
	mostBytes  = 256 << 20
	mostOfFile = 4 << 20
	pieces     = 16 // of a larger file
)

// Read measures the files of a folder. It skips folders, and files with names that begin with a dot or an underscore,
// as Hadoop does.
func Read(dir string) (*Folder, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const others = 1000 // markers and checksums beside the partitions
	entries, err := f.ReadDir(2*ernest.MaxPartitions + others)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	folder := &Folder{}
	for _, e := range entries {
		if name := e.Name(); !e.IsDir() && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_") {
			folder.Files = append(folder.Files, filepath.Join(dir, name))
		}
	}
	switch {
	case len(folder.Files) == 0:
		return nil, fmt.Errorf("%s has no files: the partitions of the input are files in one folder", dir)
	case len(folder.Files) > ernest.MaxPartitions:
		return nil, fmt.Errorf("%s has more than %d files", dir, ernest.MaxPartitions)
	}
	slices.Sort(folder.Files)
	buffer := make([]byte, min(mostBytes/len(folder.Files), mostOfFile))
	for _, path := range folder.Files {
		if err := folder.add(path, buffer); err != nil {
			return nil, err
		}
	}
	return folder, nil
}

// Of returns the files of partitions.
func (d *Folder) Of(partitions []int) []string {
	files := make([]string, len(partitions))
	for i, at := range partitions {
		files[i] = d.Files[at]
	}
	return files
}

// add measures a file. It reads at most as much as the buffer takes.
func (d *Folder) add(path string, buffer []byte) error {
	f, err := infile.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fmt.Errorf("%s is a link to a folder: give files", path)
	}
	// A file that fits into the buffer is one piece. Its last row may lack the end of its line.
	size, n := info.Size(), int64(1)
	length := size
	if size > int64(len(buffer)) {
		length, n = int64(len(buffer)/pieces), pieces
		d.Sampled++
	}
	var c counter
	counted := 0
	for i := range n {
		piece := buffer[:length]
		at := (size - length) / max(1, n-1) * i
		if err := d.fill(path, f, piece, at); err != nil {
			return err
		}
		if n > 1 {
			piece = whole(piece, at > 0)
		}
		c.count(piece, at > 0)
		if n == 1 {
			c.endRow()
		}
		c = counter{rows: c.rows, entries: c.entries}
		counted += len(piece)
	}
	if counted == 0 && n > 1 {
		return fmt.Errorf("%s: no field ends within %d bytes: this is not text of rows", path, length)
	}
	times := float64(size) / float64(max(1, counted))
	d.All = append(d.All, ernest.Partition{
		Bytes: float64(size), Rows: times * float64(c.rows), Entries: times * float64(c.entries),
	})
	return nil
}

// fill reads a piece at an offset. It fails if the piece is short or is not text.
func (d *Folder) fill(path string, f io.ReaderAt, piece []byte, at int64) error {
	n, err := f.ReadAt(piece, at)
	d.Read += int64(n)
	if n < len(piece) {
		return fmt.Errorf("%s: %w after %d bytes", path, err, at+int64(n))
	}
	if i := bytes.IndexByte(piece, 0); i >= 0 {
		return fmt.Errorf("%s is not text, but compressed or binary (byte %d is 0): only rows of text can be measured",
			path, at+int64(i))
	}
	return nil
}

// whole cuts off the incomplete fields at the ends of a piece. cut means that the piece may begin inside a field.
func whole(piece []byte, cut bool) []byte {
	last := bytes.LastIndexAny(piece, separators)
	if !cut {
		return piece[:last+1]
	}
	first := bytes.IndexAny(piece, separators)
	if first == last {
		return nil
	}
	return piece[first+1 : last+1]
}
