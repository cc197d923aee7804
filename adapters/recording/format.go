package recording

import (
	"encoding/json"
	"fmt"

	"github.com/paratimer/paratimer/adapters/recording/internal/delta"
	"github.com/paratimer/paratimer/dag"
)

// Version is the version of the format that this package writes. It also reads the tapes and captures of older
// programs.
const Version = 1

// Bounds of the memory that a recording can make a reader use, in bytes.
const (
	maxLine     = 160 << 20 // a line
	maxSnapshot = 384 << 20 // the lists of a snapshot
)

// A header is the first line of a recording. Old tapes have a header of their own, old captures have none.
type header struct {
	Version int    `json:"paratimer_recording,omitempty"`
	Of      string `json:"of,omitempty"` // wordObservations or wordAnswers
	Tape    int    `json:"paratimer_tape,omitempty"`
}

const (
	wordObservations = "observations"
	wordAnswers      = "answers"
)

// A line is an observation.
type line struct {
	N      int64           `json:"n"`                // counts the observations from 1, so that a lost or repeated line shows
	At     *dag.Instant    `json:"t"`                // null: unknown
	Missed *string         `json:"missed,omitempty"` // why the observation was missed; there are no changes then
	Whole  bool            `json:"whole,omitempty"`  // Change is independent of the lines before
	Change json.RawMessage `json:"s,omitempty"`      // what changed in the snapshot, as package delta writes it
}

// blank is the base of a whole line.
func blank() *dag.Snapshot { return &dag.Snapshot{Stale: dag.NoInstant} }

func (l *line) at() dag.Instant {
	if l.At == nil {
		return dag.NoInstant
	}
	return *l.At
}

// apply returns old with the changes of a line, and does not modify old. left is how many bytes lists may still take.
func (l *line) apply(old *dag.Snapshot, left *int) (*dag.Snapshot, error) {
	s := *old
	s.At = l.at()
	if l.Change == nil {
		return &s, nil
	}
	r := delta.NewReader(l.Change, left)
	r.Read(&s)
	return &s, r.Err()
}

// A LineError is the error of a line that cannot be used.
type LineError struct {
	Line int // in the file, from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("recording: line %d: %v", e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }
