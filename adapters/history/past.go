package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/units"
)

// IsHistory reports whether a file is job history or a trace. Any folder may have such files.
func IsHistory(p recording.Place) bool {
	info, err := fs.Stat(p.In, p.File)
	if err != nil || !info.Mode().IsRegular() {
		return err == nil && info.IsDir()
	}
	kind, err := readFile(p.In, p.File, func(r io.Reader) (recording.Kind, error) {
		kind, _, err := recording.Sniff(r)
		return kind, err
	})
	return err == nil && (kind == recording.History || kind == recording.Trace)
}

// NewPastReader returns a reader of the history of MapReduce jobs. The jobs of a workflow may be in several places.
func NewPastReader() recording.PastReader { return &pastReader{paths: map[*Job]string{}} }

type pastReader struct {
	jobs    []*Job
	paths   map[*Job]string
	leftOut []recording.Skipped
}

// Read reads the jobs of a place.
func (r *pastReader) Read(ctx context.Context, p recording.Place) (has bool, err error) {
	found, err := ReadFiles(ctx, p.In, p.File)
	switch {
	case errors.Is(err, ErrOther):
		return false, nil
	case err != nil:
		return true, err
	case len(found.Jobs) == 0 && len(found.Skipped) == 0:
		return false, errors.New("no job history and no event log of Spark in it: files of job history end in .jhist, .jhist.gz, .json or .json.gz")
	case len(found.Jobs) == 0:
		return false, fmt.Errorf("no job history in it that can be used: %s left out, the first one is %s: %s",
			units.Count(len(found.Skipped), "file"), found.Skipped[0].Path, found.Skipped[0].Why)
	}
	for _, j := range found.Jobs {
		r.paths[j] = p.Name
	}
	r.jobs = append(r.jobs, found.Jobs...)
	r.leftOut = append(r.leftOut, found.Skipped...)
	return true, nil
}

// Runs groups the jobs of all places to workflows.
func (r *pastReader) Runs() (runs []recording.Run, leftOut []recording.Skipped) {
	for _, w := range Group(r.jobs) {
		runs = append(runs, recording.Run{
			ID: w.ID, Name: w.Name, Jobs: len(w.Jobs), Path: r.paths[w.Jobs[0]], Noun: "workflow",
			Text: fmt.Sprintf("%s %q of %s, %s", w.ID, w.Name, w.Jobs[0].User, units.Count(len(w.Jobs), "job")),
			Match: func(id string) int {
				if w.is(id) {
					return 2
				}
				return 0
			},
			Open: func(o recording.Options, _ func(int)) (recording.Source, error) {
				if o.Workflow != "" && !w.is(o.Workflow) {
					return nil, &recording.UnknownError{Workflow: o.Workflow, Holds: []string{w.ID}}
				}
				return NewSource(w, o.Every)
			},
		})
	}
	return runs, r.leftOut
}
