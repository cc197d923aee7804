package tez

import (
	"context"

	"github.com/paratimer/paratimer/adapters/recording"
)

// NewPastReader returns a reader of the history of DAGs.
func NewPastReader() recording.PastReader { return &pastReader{} }

type pastReader struct{ runs []recording.Run }

// Read reads the DAGs of a place.
func (r *pastReader) Read(ctx context.Context, p recording.Place) (has bool, err error) {
	log, err := readHistory(ctx, p.In, p.File)
	switch {
	case log.files == 0:
		return false, ctx.Err()
	case err != nil:
		return true, err
	}
	for i, id := range log.ids() {
		app, _ := IsDAG(id)
		r.runs = append(r.runs, recording.Run{
			ID: id, Path: p.Name, Noun: "DAG", Text: id, Jobs: 1, IsFirst: i == 0,
			Match: func(other string) int {
				if other == id || other == app && i == 0 {
					return 2
				}
				return 0
			},
			Open: func(o recording.Options, _ func(int)) (recording.Source, error) {
				if o.Workflow != "" && o.Workflow != id && o.Workflow != app {
					return nil, &recording.UnknownError{Workflow: o.Workflow, Holds: log.ids()}
				}
				return log.replay(id, o.Every), nil
			},
		})
	}
	return true, nil
}

// Runs returns a run for each DAG.
func (r *pastReader) Runs() ([]recording.Run, []recording.Skipped) { return r.runs, nil }
