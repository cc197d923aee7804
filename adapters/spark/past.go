package spark

import (
	"context"
	"errors"

	"github.com/paratimer/paratimer/adapters/recording"
)

// IsHistory reports whether a place is an event log, a zip, or a folder with event logs.
func IsHistory(p recording.Place) bool {
	has, _ := NewPastReader().Read(context.Background(), p) // an unreadable file is no log
	return has
}

// NewPastReader returns a reader of event logs.
func NewPastReader() recording.PastReader { return &pastReader{} }

type pastReader struct{ runs []recording.Run }

// Read finds the event logs of a place, and reads none of them.
func (r *pastReader) Read(ctx context.Context, p recording.Place) (has bool, err error) {
	logs, _ := FindLogs(ctx, p.In, p.File) // an unreadable file is no log
	if len(logs) == 0 {
		if _, isZip := formOf(p.In, p.File); isZip {
			return true, errors.New("it is a zip without an event log")
		}
		return false, ctx.Err()
	}
	for _, f := range logs {
		f.Name = p.Path(f.Name)
		r.runs = append(r.runs, recording.Run{
			Path: f.Name, Noun: "event log", Text: f.Name, Jobs: 1,
			Match: func(id string) int {
				log, err := f.Open()
				switch app, _ := AppOf(id); {
				case err != nil: // another log may be the right one
					return 0
				case log.ID() == app:
					return 2
				case log.Holds(app): // it is another attempt
					return 1
				}
				return 0
			},
			Open: func(o recording.Options, read func(int)) (recording.Source, error) {
				f.Read = read
				log, err := f.Open()
				if err != nil {
					return nil, err
				}
				return NewLogSource(log, o)
			},
		})
	}
	return true, nil
}

// Runs returns a run for each log.
func (r *pastReader) Runs() ([]recording.Run, []recording.Skipped) { return r.runs, nil }
