// Package jobfile reads and writes job files. They have the demands of MapReduce jobs on a shared cluster, for the
// queueing models. docs/job.schema.json describes them. Reading is strict: every fault is reported with its position.
package jobfile

import (
	"fmt"
	"io"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/estimators/queueing"
)

// maxBytes bounds a job file. 100 jobs take 50 kB.
const maxBytes = 1 << 20

// A File is the content of a job file.
type File struct {
	Name string // what is modeled; "" if not set
	queueing.Spec
	Comments []string // lines at the beginning of a written file; Read does not return them
}

// ReadFile is Read for a file; for "-" it reads in. Errors of the file system are *fs.PathError.
func ReadFile(path string, in io.Reader) (*File, []string, error) {
	name := "stdin"
	if path != "-" {
		f, err := infile.Open(path)
		if err != nil {
			return nil, nil, err
		}
		defer func() { _ = f.Close() }() // it was only read
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, nil, &planfile.Error{
				File:    path,
				Message: "this is a directory: a job file is one file, YAML or JSON",
			}
		}
		name, in = path, f
	}
	src, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	return Read(src, name)
}

// Read reads a job file, and returns remarks on what is probably a mistake. name is its name in messages. Errors are
// *planfile.Error, joined in the order of the file; the File is then nil.
func Read(src []byte, name string) (*File, []string, error) {
	if len(src) > maxBytes {
		return nil, nil, &planfile.Error{
			File:    name,
			Message: fmt.Sprintf("the file is larger than %d bytes, more than a job file may take", maxBytes),
		}
	}
	var w Document
	doc, err := planfile.Decode(src, name, "job file", &w)
	if err != nil {
		return nil, nil, err
	}
	r := reader{doc: doc, doubts: *doc}
	f := r.file(&w)
	if err := doc.Err(); err != nil {
		return nil, nil, err
	}
	var doubts []string
	for _, e := range planfile.Errors(r.doubts.Err()) {
		doubts = append(doubts, fmt.Sprintf("%s:%d:%d: %s: %s", name, e.Line, e.Column, e.Field, e.Message))
	}
	return f, doubts, nil
}
