package recording

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// A LineError is the error of a line that cannot be used.
type LineError struct {
	Line int // in the file, from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("recording: line %d: %v", e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

func unusable(line int, format string, args ...any) *LineError {
	return &LineError{line, fmt.Errorf(format, args...)}
}

// lines reads one line ahead, because the last whole line needs a warning if a cut-off line follows.
type lines struct {
	in     *bufio.Reader
	limit  int // bytes of a line
	number int
	text   []byte
	bad    *LineError // text is not a line, or cut off
	torn   bool       // the recording is cut off in this line
	err    error      // there is no line: io.EOF, or the error of the file
}

// readSize is the number of bytes per read.
const readSize = 1 << 16

// read moves to the next line. At the end and after an error it does nothing.
func (l *lines) read() {
	if l.err != nil {
		return
	}
	if l.torn {
		l.torn, l.err = false, io.EOF
		return
	}
	l.number++
	var err error
	l.text, err = input.Line(l.in, l.limit)
	l.bad = nil
	switch {
	case err == nil, errors.Is(err, io.ErrUnexpectedEOF) && json.Valid(l.text): // a line lacks nothing but its end
	case errors.Is(err, input.ErrLong):
		l.bad = unusable(l.number, "longer than %d bytes", l.limit)
	case errors.Is(err, io.EOF):
		l.err = io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		l.torn = true
		l.bad = unusable(l.number, "the recording breaks off in the middle of this line")
	default:
		l.err = fmt.Errorf("recording: line %d: %w", l.number, err)
	}
}

// A Reader is a source that replays observations. It returns missed observations as *dag.MissedError. Unusable lines
// are returned in the same way, with their numbers, and so are lines that depend on them, up to the next whole
// snapshot.
//
// A cut-off last line is left out, and the snapshot before it has a warning (dag.WarnTornTape).
type Reader struct {
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
	streak   input.Streak
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
	l := &t.lines
	var h header
	switch {
	case errors.Is(l.err, io.EOF):
		return nil, errors.New(`recording: the file is empty; a recording begins with the line {"paratimer_recording":1}`)
	case l.err != nil:
		return nil, l.err
	case l.bad != nil || json.Unmarshal(l.text, &h) != nil || h.Version+h.Tape <= 0 || h.Of == wordAnswers:
		return nil, unusable(1, `not a recording of observations: it begins with the line {"paratimer_recording":1}`)
	case h.Version > Version, h.Tape > tapeVersion:
		return nil, unusable(1, "version %d of the format; this program reads versions up to %d: use the one that recorded it",
			max(h.Version, h.Tape), max(min(h.Version, Version), min(h.Tape, tapeVersion)))
	}
	t.isTape = h.Tape > 0
	l.read()
	return t, nil
}

// Next returns the next observation, and io.EOF after the last one. All errors except *dag.MissedError are final.
func (t *Reader) Next(ctx context.Context) (*dag.Snapshot, error) {
	for {
		l := t.lines
		isEnd := errors.Is(l.err, io.EOF) || l.torn
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case isEnd && !t.any:
			return nil, unusable(l.number, "the recording ends before its first snapshot")
		case l.torn && t.reported:
			return nil, io.EOF
		case l.err != nil:
			return nil, l.err
		}
		t.lines.read()
		if l.torn {
			// The last whole line is a missed observation, so no snapshot before it could warn.
			return nil, t.missed(l.bad)
		}
		s, err := t.observation(l.number, l.text, l.bad)
		if s != nil || err != nil {
			return s, err
		}
		if err := t.streak.Bad(); err != nil {
			return nil, &LineError{l.number, err}
		}
	}
}

// observation parses one line. Both results are nil for a line that is left out.
func (t *Reader) observation(number int, text []byte, bad *LineError) (*dag.Snapshot, error) {
	var l line
	if bad == nil {
		if err := json.Unmarshal(text, &l); err != nil {
			bad = unusable(number, "not an observation: %w", err)
		}
	}
	switch {
	case bad != nil:
		return nil, t.unusable(bad)
	case l.N <= t.n:
		t.note(dag.WarnObservation,
			fmt.Sprintf("line %d of the recording was left out: it is observation %d, and observation %d came before it",
				number, l.N, t.n))
		return nil, nil
	case l.N != t.n+1 && t.state != nil:
		t.state, t.lost = nil, number
	}
	if t.n, t.at = l.N, dag.NoInstant; l.At != nil {
		t.at = *l.At
	}
	switch {
	case l.Missed != nil:
		return nil, &dag.MissedError{At: t.at, Err: errors.New(dag.Clean(*l.Missed))}
	case l.Whole:
		t.state = blank()
	case t.state == nil:
		return nil, t.missed(unusable(number, "observations before line %d are missing, and it needs them up to the next "+
			"whole snapshot", max(t.lost, 2)))
	}
	apply := l.apply
	if t.isTape {
		apply = applyTape
	}
	s, err := apply(t.state, text, t.most)
	if err == nil {
		s.At = t.at
		err = check(s)
	}
	if err != nil {
		t.state, t.lost = nil, number
		return nil, t.unusable(&LineError{number, err})
	}
	t.streak.Good()
	t.state, t.any = s, true
	if t.lines.torn {
		t.note(dag.WarnTornTape, t.lines.bad.Error())
		t.reported = true
	}
	s, t.notes = withWarnings(s, t.notes...), nil
	return s, nil
}

func (t *Reader) note(code, text string) {
	if len(t.notes) < maxNotes {
		t.notes = append(t.notes, dag.Warning{Code: code, Text: text})
	}
}

// unusable returns a missed observation, or a final error after too many such lines in a row. Lines that only depend
// on a lost one do not count, because a watch of days may have many.
func (t *Reader) unusable(line *LineError) error {
	if err := t.streak.Bad(); err != nil {
		return unusable(line.Line, "%w; this one: %w", err, line.Err)
	}
	return t.missed(line)
}

// missed returns a missed observation of the recording, at the newest known instant.
func (t *Reader) missed(err error) error { return &dag.MissedError{At: t.at, Err: err} }

// check returns why no estimator could use s: it has no plan, other jobs than the plan, or more order keys than there
// are, or the plan's jobs have a cycle or more tasks than package dag allows. All other fields of a snapshot are
// numbers, and estimators accept any number.
func check(s *dag.Snapshot) error {
	p, total := s.Plan, 0
	if p == nil {
		return errors.New("the observation has no plan")
	}
	if have, want := len(s.Jobs), len(p.Jobs); have != want {
		return fmt.Errorf("the observation has the state of %d jobs, and its plan has %d", have, want)
	}
	if n := len(p.Cluster.Order); n > dag.MaxOrderKeys {
		return fmt.Errorf("the plan orders jobs by %d keys, and there are %d", n, dag.MaxOrderKeys)
	}
	for j := range p.Jobs {
		stages, states := p.Jobs[j].Stages, s.Jobs[j].Stages
		if len(states) != len(stages) || len(stages) > maxStages {
			return fmt.Errorf("the observation has the state of %d stages of job %d, and its plan has %d, of at most %d",
				len(states), j, len(stages), maxStages)
		}
		for k := range stages {
			for _, e := range stages[k].After {
				if e.From < 0 || int(e.From) >= k || e.Kind > dag.Broadcast {
					return fmt.Errorf("job %d of the plan: stage %d reads stage %d by an edge of kind %d: a stage reads those before it",
						j, k, e.From, e.Kind)
				}
			}
			n := stages[k].Count()
			if n < 0 || n > dag.MaxTasks-total {
				return fmt.Errorf("job %d of the plan: %d %s tasks: not a number from 0 to %d, of all jobs together", j,
					n, stages[k].Name, dag.MaxTasks)
			}
			total += n
			for i := range states[k].Attempts {
				if t := states[k].Attempts[i].Task; t < 0 {
					return fmt.Errorf("job %d: an attempt of the task %d", j, t)
				}
			}
		}
	}
	_, err := dag.NewGraph(p)
	return err
}

// maxStages bounds the stages of a job.
const maxStages = 1 << 14
