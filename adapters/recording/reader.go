package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/recording/internal/tape"
	"github.com/paratimer/paratimer/dag"
)

// A LineError is the error of a line that cannot be used.
type LineError struct {
	Line int // in the file, from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("recording: line %d: %v", e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// A Reader is a source that replays observations. It returns missed observations as *dag.MissedError. Unusable lines
// are returned in the same way, with their numbers, and so are lines that depend on them, up to the next whole
// snapshot.
//
// A cut-off last line is left out, and the snapshot before it has a warning (dag.WarnTornTape).
type Reader struct {
	file     io.Closer // nil if the reader did not open it
	lines    lines
	most     int           // bytes that the lists of a snapshot may take
	isTape   bool          // its lines are those of an old tape
	n        int64         // number of the newest observation
	state    *dag.Snapshot // base of the next line; nil: only a whole line can be used
	lost     int           // the line from which on state is missing
	at       dag.Instant   // of the newest observation
	any      bool          // there was a snapshot
	reported bool          // a snapshot has warned of the cut-off end
	notes    []dag.Warning // for the next snapshot
	bad      input.Streak
}

const maxNotes = 20

// NewReader returns a reader after it has read the header. r may be compressed by gzip or zstd.
func NewReader(r io.Reader) (*Reader, error) {
	in, err := input.Unpack(r, readSize)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	t := &Reader{lines: lines{in: in, limit: maxLine}, most: maxSnapshot, at: dag.NoInstant}
	t.lines.read()
	l := t.lines.next
	var h header
	switch {
	case l.err != nil:
		return nil, l.err
	case l.end:
		return nil, errors.New(`recording: the file is empty; a recording begins with the line {"paratimer_recording":1}`)
	case l.bad != nil || json.Unmarshal(l.text, &h) != nil || h.Version+h.Tape <= 0 || h.Of == wordAnswers:
		return nil, &LineError{1, errors.New(`not a recording of observations: it begins with the line {"paratimer_recording":1}`)}
	case h.Version > Version, h.Tape > tape.Version:
		return nil, &LineError{
			1,
			fmt.Errorf("version %d of the format; this program reads versions up to %d: use the one that recorded it",
				max(h.Version, h.Tape), max(min(h.Version, Version), min(h.Tape, tape.Version))),
		}
	case h.Tape > 0:
		t.isTape = true
	}
	t.lines.read()
	return t, nil
}

// Close closes the file of Open.
func (t *Reader) Close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}

// Next returns the next observation, and io.EOF after the last one. All errors except *dag.MissedError are final.
func (t *Reader) Next(ctx context.Context) (*dag.Snapshot, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l := t.lines.next
		switch {
		case l.err != nil:
			return nil, l.err
		case (l.end || l.torn) && !t.any:
			return nil, &LineError{l.number, errors.New("the recording ends before its first snapshot")}
		case l.end || l.torn && t.reported:
			return nil, io.EOF
		}
		t.lines.read()
		if l.torn {
			// The last whole line is a missed observation, so no snapshot before it could warn.
			return nil, t.missed(&LineError{l.number, l.bad})
		}
		s, err := t.observation(l)
		if s != nil || err != nil {
			return s, err
		}
		if err := t.bad.Bad(); err != nil {
			return nil, &LineError{l.number, err}
		}
	}
}

// observation parses one line. Both results are nil for a line that is left out.
func (t *Reader) observation(raw rawLine) (*dag.Snapshot, error) {
	var l line
	if err := raw.bad; err != nil {
		return nil, t.unusable(&LineError{raw.number, err})
	}
	if err := json.Unmarshal(raw.text, &l); err != nil {
		return nil, t.unusable(&LineError{raw.number, fmt.Errorf("not an observation: %w", err)})
	}
	if l.N <= t.n {
		t.note(dag.WarnObservation,
			fmt.Sprintf("line %d of the recording was left out: it is observation %d, and observation %d came before it",
				raw.number, l.N, t.n))
		return nil, nil
	}
	if l.N != t.n+1 && t.state != nil {
		t.state, t.lost = nil, raw.number
	}
	if t.n, t.at = l.N, dag.NoInstant; l.At != nil {
		t.at = *l.At
	}
	if l.Missed != nil {
		return nil, &dag.MissedError{At: t.at, Err: errors.New(dag.Clean(*l.Missed))}
	}
	if t.state == nil && !l.Whole {
		return nil, t.missed(&LineError{
			raw.number,
			fmt.Errorf("observations before line %d are missing, and it needs them up to the next whole snapshot",
				max(t.lost, 2)),
		})
	}
	s, err := t.apply(&l, raw.text)
	if err != nil {
		t.state, t.lost = nil, raw.number
		return nil, t.unusable(&LineError{raw.number, err})
	}
	t.bad.Good()
	t.state, t.any = s, true
	if t.lines.next.torn {
		t.note(dag.WarnTornTape, (&LineError{t.lines.next.number, t.lines.next.bad}).Error())
		t.reported = true
	}
	s, t.notes = withWarnings(s, t.notes...), nil
	return s, nil
}

// apply returns the snapshot of a line.
func (t *Reader) apply(l *line, text []byte) (*dag.Snapshot, error) {
	old := t.state
	if l.Whole {
		old = blank()
	}
	var s *dag.Snapshot
	var err error
	switch {
	case t.isTape:
		s, err = tape.Apply(old, text, t.most)
	case l.Change == nil:
		same := *old
		s = &same
	default:
		if err = l.Fits(text, t.most); err == nil {
			s, err = l.Apply(old, t.most)
		}
	}
	if err != nil {
		return nil, err
	}
	s.At = t.at
	return s, check(s)
}

func (t *Reader) note(code, text string) {
	if len(t.notes) < maxNotes {
		t.notes = append(t.notes, dag.Warning{Code: code, Text: text})
	}
}

// unusable returns a missed observation, or a final error after too many such lines in a row. Lines that only depend
// on a lost one do not count, because a watch of days may have many.
func (t *Reader) unusable(line *LineError) error {
	if err := t.bad.Bad(); err != nil {
		return &LineError{line.Line, fmt.Errorf("%w; this one: %w", err, line.Err)}
	}
	return t.missed(line)
}

// missed returns a missed observation of the recording, at the newest known instant.
func (t *Reader) missed(err error) error { return &dag.MissedError{At: t.at, Err: err} }
