// Package planfile reads and writes plans: YAML or JSON, as docs/plan.schema.json describes them.
//
// The types of package dag and of this one describe the file by their tags: names, bounds, defaults. A profile of
// earlier runs is a plan file with costs. Reading is strict: unknown fields, values of the wrong type and times
// without a unit are errors. Each error has its position and an excerpt, and suggests a similar name. Invalid input
// never panics and takes bounded memory, whatever its size, nesting or aliases.
//
// # Stability
//
// Names and meanings stay within a major version. Later versions read the plan files of today (docs/api.md).
package planfile

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/dag"
)

// maxBytes bounds a file.
const maxBytes = 16 << 20

// Options of Read. The zero value reads a plan.
type Options struct {
	Name    string // name of the file in errors; "plan" if empty
	Profile bool   // the plan only has costs: its cluster may lack slots and memory
}

// Read reads a plan. The plan is valid by dag.Validate, a profile by dag.ValidateProfile. Errors of the file are one
// *Error or several, joined in the order of the file. errors.As finds the faults of the plan in them, such as a
// *dag.CycleError.
//
// A list with the same value for each task becomes a uniform series.
func Read(r io.Reader, opt Options) (*dag.Plan, error) {
	opt.Name = cmp.Or(opt.Name, "plan")
	src, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: reading: %w", opt.Name, err)
	}
	f := File{}
	doc, err := Decode(src, opt.Name, "plan", &f)
	if err != nil {
		return nil, err
	}
	p := f.plan(doc)
	validate := dag.Validate
	if opt.Profile {
		validate = dag.ValidateProfile
	}
	doc.validated(validate(p))
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// ReadFile is Read for a file. A plan without a name gets the file's name without its extension.
func ReadFile(path string, opt Options) (*dag.Plan, error) {
	opt.Name = cmp.Or(opt.Name, path)
	f, err := infile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &Error{File: opt.Name, Message: "this is a directory: a plan is one file, YAML or JSON"}
	}
	p, err := Read(f, opt)
	if err == nil && p.Name == "" {
		p.Name = dag.Clean(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	}
	return p, err
}
