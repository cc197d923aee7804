// Package recording records what a watcher observes, and plays it again.
//
// A recording has JSON lines, compressed by zstd. Its first line is a header. If it is of observations, each later line
// is a snapshot, or what changed since the snapshot of the line before, or a missed observation: Tee writes it, and
// Reader is a source that reads it. If it is of answers, each later line is an answer of a service to one request: a
// Writer writes it, and a Player serves the answers again to the sources of live clusters. docs/recording.md describes
// the format.
//
// Snapshots come back bit by bit, including NaN, unknown instants and nil slices. Profiles are arguments of a run, not
// observations, and are not recorded. A recording knows no field of package dag: see package delta.
//
// # Stability
//
// Names and meanings stay within a major version, and recordings of older versions can be read (docs/api.md).
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

// headerOf returns the first line of a recording.
func headerOf(what string) []byte {
	b, _ := json.Marshal(header{Version: Version, Of: what}) // it has a number and a word
	return append(b, '\n')
}

// A line is an observation.
type line struct {
	N             int64        `json:"n"`                // counts the observations from 1, so that a lost or repeated line shows
	At            *dag.Instant `json:"t"`                // null: unknown
	Missed        *string      `json:"missed,omitempty"` // why the observation was missed; nothing changes then
	Whole         bool         `json:"whole,omitempty"`  // the change is independent of the lines before
	*delta.Change              // what changed in the snapshot, except for its instant
}

// blank is the base of a whole line.
func blank() *dag.Snapshot { return &dag.Snapshot{Stale: dag.NoInstant} }

// The encoder writes a whole line once the lines since the last one have wholeFactor times its size, and at least
// wholeFloor bytes. Whole lines are then a small part of a recording.
const (
	wholeFactor = 8
	wholeFloor  = 16 << 10
)

// An encoder encodes observations as lines. The caller must not change the snapshots.
type encoder struct {
	n        int64
	before   *dag.Snapshot // previous snapshot; nil: the next line is whole
	since    int           // bytes since the last whole line
	weight   int           // bytes of the last whole line
	allWhole bool          // in tests
}

// missed returns the line of a missed observation.
func (e *encoder) missed(m *dag.MissedError) ([]byte, error) {
	why := m.Err.Error()
	return e.line(m.At, line{Missed: &why})
}

// line returns the text of a line.
func (e *encoder) line(at dag.Instant, l line) ([]byte, error) {
	if e.n++; at.Known() {
		l.At = &at
	}
	l.N = e.n
	b, err := json.Marshal(l)
	return append(b, '\n'), err
}

// snapshot returns the line of s.
func (e *encoder) snapshot(s *dag.Snapshot) ([]byte, error) {
	old := e.before
	e.before = nil // after an error, the next line is whole
	if err := check(s); err != nil {
		return nil, fmt.Errorf("recording: the observation %d cannot be written: %w", e.n+1, err)
	}
	l := line{Whole: old == nil || e.allWhole || e.since > max(wholeFloor, wholeFactor*e.weight)}
	if l.Whole {
		old = blank()
	}
	now := *s
	now.At = old.At // the line has it
	l.Change = delta.Of(old, &now)
	b, err := e.line(s.At, l)
	switch {
	case err != nil:
		return nil, err
	case len(b) > maxLine:
		return nil, fmt.Errorf("recording: the observation %d takes %d bytes, more than the %d of a line", e.n, len(b), maxLine)
	case l.Whole:
		e.since, e.weight = 0, len(b)
	default:
		e.since += len(b)
	}
	e.before = s
	return b, nil
}
