// Package planfile reads and writes plans: YAML or JSON, as docs/plan.schema.json describes them.
//
// A profile of earlier runs is a plan file with costs. Reading is strict: unknown fields, values of the wrong type
// and times without a unit are errors. Each error has its position and an excerpt, and suggests a similar name.
// Invalid input never panics and takes bounded memory, whatever its size, nesting or aliases.
//
// # Stability
//
// Names and meanings stay within a major version. Later versions read the plan files of today (docs/api.md).
package planfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/dag"
)

// DefaultMaxBytes bounds a plan file if Options.MaxBytes is 0.
const DefaultMaxBytes = 64 << 20

// Options of Read. The zero value reads a plan.
type Options struct {
	Name     string // name of the file in errors; "plan" if empty
	MaxBytes int64  // bound of the file's size; 0: DefaultMaxBytes
	Profile  bool   // the plan only has costs: its cluster may lack slots and memory
}

// Read reads a plan. The plan is valid by dag.Validate, a profile by dag.ValidateProfile. Errors of the file are one
// *Error or several, joined in the order of the file. errors.As finds the faults of the plan in them, such as a
// *dag.CycleError.
//
// A list with the same value for each task becomes a uniform series.
func Read(r io.Reader, opt Options) (*dag.Plan, error) {
	if opt.Name == "" {
		opt.Name = "plan"
	}
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = DefaultMaxBytes
	}
	src, err := io.ReadAll(io.LimitReader(r, opt.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: reading: %w", opt.Name, err)
	}
	if int64(len(src)) > opt.MaxBytes {
		return nil, tooLarge(opt)
	}
	src, err = readable(src, opt.Name, "plan file")
	if err != nil {
		return nil, err
	}
	root, bad := parse(src, opt.Name, "plan")
	if bad != nil {
		return nil, bad.at(src, opt.Name)
	}
	plan, faults := planOf(root, opt.Profile)
	if len(faults) > 0 {
		return nil, report(faults, src, opt.Name, maxFaults)
	}
	return plan, nil
}

// readable returns the text of a file without a byte order mark.
func readable(src []byte, name, what string) ([]byte, error) {
	src = bytes.TrimPrefix(src, []byte("\xEF\xBB\xBF"))
	if !utf8.Valid(src) {
		return nil, &Error{File: name, Message: "this is not text in UTF-8: a " + what + " is YAML or JSON"}
	}
	return src, nil
}

// ReadFile is Read for a file. A plan without a name gets the file's name without its extension.
func ReadFile(path string, opt Options) (*dag.Plan, error) {
	if opt.Name == "" {
		opt.Name = path
	}
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

func tooLarge(opt Options) error {
	return &Error{
		File: opt.Name,
		Message: fmt.Sprintf("the file is larger than %d bytes (%.4g MiB), more than a plan may have: "+
			"give phases of equal tasks one value instead of a list", opt.MaxBytes, float64(opt.MaxBytes)/(1<<20)),
	}
}

// parse parses a file that starts with a brace as JSON, or if that fails as YAML, where it may be a flow mapping.
func parse(src []byte, name, noun string) (*node, *syntax) {
	isJSON := filepath.Ext(name) == ".json"
	if isJSON || looksLikeJSON(src) {
		if n, bad := parseJSON(src, noun); bad == nil || isJSON {
			return n, bad
		}
	}
	return parseYAML(src, noun)
}

// planOf converts a tree to a plan.
func planOf(root *node, profile bool) (*dag.Plan, []fault) {
	if root.kind != mapping {
		return nil, []fault{{at: root, why: fmt.Sprintf("this is %s: a plan is a mapping with cluster and jobs",
			root.kind)}}
	}
	if jobs := root.get("jobs"); jobs != nil && jobs.children != nil && len(jobs.items) > dag.MaxJobs {
		var d decoder
		d.report(root, []string{"jobs"}, &dag.LimitError{
			Place: dag.Place{Job: -1, Field: "jobs", Item: -1}, What: "jobs", Have: float64(len(jobs.items)),
			Max: dag.MaxJobs,
		})
		return nil, d.faults
	}
	if faults := schema().check(root); len(faults) > 0 {
		return nil, faults
	}
	d := decoder{names: true}
	f := file{}
	d.file(root, &f)
	if len(d.faults) > 0 {
		return nil, d.faults
	}
	p := f.plan(&d, root)
	validate := dag.Validate
	if profile {
		validate = dag.ValidateProfile
	}
	d.locate(root, validate(p))
	return p, d.faults
}

// maxFaults bounds the reported faults of a file.
const maxFaults = 10

func report(faults []fault, src []byte, name string, most int) error {
	slices.SortStableFunc(faults, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.col, b.at.col))
	})
	var errs []error
	for i, f := range faults {
		if i == most {
			errs = append(errs, &Error{File: name, Message: fmt.Sprintf("and %d more", len(faults)-i)})
			break
		}
		line, col := int(f.at.line), int(f.at.col)
		errs = append(errs, &Error{
			File: name, Line: line, Column: col, Field: pathString(f.path), Message: f.why,
			Excerpt: excerpt(src, line, col), Err: f.err,
		})
	}
	return errors.Join(errs...)
}
