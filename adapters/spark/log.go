package spark

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/events"
	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// Bounds of an event log, so that a hostile file cannot fill the memory.
const (
	mostLine   = 64 << 20 // bytes of a line
	mostLog    = 32 << 30 // bytes of all lines, unpacked
	mostEvents = 3 * mostTasks
)

// A Log is the event log of an application.
type Log struct {
	events []event
	// Torn reports that the log is cut off, as the log of a running application is.
	Torn bool
	// First and Last are the instants between which the log has jobs.
	First, Last dag.Instant
	Ended       bool // the log has the application's end
	total       int
	id          string // of the application; includes the attempt number after the first attempt
	app         string
	lines       int                 // non-empty lines
	badLines    int                 // lines that are not events
	copies      int                 // repeated events
	hashes      map[uint64]struct{} // of events that a log has once
	seed        maphash.Seed
	steps       []events.Step
}

// ErrNoLog means that a file has no Spark jobs.
var ErrNoLog = errors.New("spark: no job of an application in it: not an event log, or one of an application that has run nothing")

func newLog() *Log {
	return &Log{hashes: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
}

// read reads one file of a log: lines of JSON, plain or compressed, as unpackLog reads them. A cut-off end is not an
// error.
func (l *Log) read(in io.Reader) error {
	b, err := unpackLog(in)
	if err != nil {
		return fmt.Errorf("spark: %w", err)
	}
	var bad input.Streak
	for n := 1; ; n++ {
		line, err := input.Line(b, mostLine)
		cut := errors.Is(err, io.ErrUnexpectedEOF)
		l.total += len(line) + 1
		switch line = bytes.TrimSpace(line); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !cut, len(line) == 0 && !cut:
		case l.total > mostLog || len(l.events) > mostEvents:
			err = fmt.Errorf("the event log has more than %d GB or %d events: too large to play", mostLog>>30, mostEvents)
		case l.take(line):
			bad.Good()
		case cut: // the last line of a cut-off log may be incomplete
			l.Torn = true
		default:
			l.badLines++
			err = bad.Bad()
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("spark: line %d: %w", n, err)
		}
	}
}

// take adds a line, and reports whether it is an event.
func (l *Log) take(line []byte) bool {
	l.lines++
	kind, w, ok := parseEvent(line)
	if kind == nil {
		return ok
	}
	if kind.sound != nil {
		h := maphash.Bytes(l.seed, line)
		if _, twice := l.hashes[h]; twice {
			l.copies++
			return true
		}
		l.hashes[h] = struct{}{}
	}
	switch kind.name {
	case "ApplicationStart":
		l.app, l.id = dag.Clean(string(w.AppID)), w.application()
	case "ApplicationEnd":
		l.Ended = true
	}
	l.events = append(l.events, w.event(kind, l.lines))
	return true
}

// ID returns the id of the application.
func (l *Log) ID() string { return l.id }

// A Reader replays a log from its beginning, as a source in steps of time. It is not safe for concurrent use.
type Reader struct {
	recording.Steps
	log     *Log
	app     *App
	applied int   // events
	end     error // the value of End from the first snapshot on; before it is ErrNoTasks
}

// Reader returns a reader at the beginning of the log. id is the application's or a unit's; "" is the application.
func (l *Log) Reader(id string) *Reader {
	app := NewApp(id)
	app.inLog, app.id = true, cmp.Or(app.id, l.id)
	return &Reader{log: l, app: app}
}

// Holds reports whether the log has a job of the application or unit with this id.
func (l *Log) Holds(id string) bool {
	app, of := parseID(id)
	return (app == "" || app == l.id || app == l.app) && slices.ContainsFunc(l.events, func(e event) bool {
		if e.kind.name != "JobStart" {
			return false
		}
		switch job := &e.more.Properties; of.kind {
		case sqlUnit:
			return of.name == Newest && job.SQL != "" || string(job.SQL) == of.name || string(job.Root) == of.name
		case groupUnit:
			return dag.Clean(string(job.Group)) == of.name
		}
		return true
	})
}

// At returns a snapshot of an instant. Instants must not decrease between calls. ok is false before the first job.
func (r *Reader) At(now dag.Instant) (snap *dag.Snapshot, ok bool) {
	for r.applied < len(r.log.events) && r.log.events[r.applied].at <= now {
		e := &r.log.events[r.applied]
		e.kind.apply(r.app, e)
		r.applied++
	}
	return r.app.Snapshot(now, false)
}

// ErrNoTasks means that an application ran only empty jobs.
var ErrNoTasks = errors.New("spark: nothing to observe: its jobs had no tasks, as an action on no partitions has none")

// NewLogSource returns a source that replays an event log. o.Every is the time between snapshots; 0 is a second, or
// more for a long log. The source ends with io.EOF, or with a *recording.CutOffError if the log does
// not have the application's end.
func NewLogSource(log *Log, o recording.Options) (recording.Source, error) {
	if o.Workflow != "" && !log.Holds(o.Workflow) {
		app, part := AppOf(o.Workflow)
		if part == "" || app != "" && app != log.id {
			return nil, &recording.UnknownError{Workflow: o.Workflow, Holds: []string{log.id + " of Spark"}}
		}
		r := log.Reader(log.id + part)
		r.At(log.Last)
		return nil, r.app.Missing()
	}
	end := error(&recording.CutOffError{At: log.Last, Torn: log.Torn})
	if log.Ended {
		end = io.EOF
	}
	r := log.Reader(o.Workflow)
	r.Steps, r.end = recording.NewSteps(log.First, log.Last, o.Every, ErrNoTasks), end
	return r, nil
}

// mostPlayed bounds the total number of tasks in all snapshots if AtMost is used.
const mostPlayed = 4_000_000

// AtMost limits the number of snapshots. With very many tasks there are fewer.
func (r *Reader) AtMost(n int) {
	tasks := len(r.log.events) / 2 // about
	r.Steps.AtMost(max(min(n, mostPlayed/max(tasks, 1)), 1))
}

// Next replays one step.
func (r *Reader) Next(ctx context.Context) (*dag.Snapshot, error) {
	return r.Play(ctx, func(now dag.Instant) *dag.Snapshot { //nolint:wrapcheck // it is the end's or the context's
		snap, ok := r.At(now)
		if !ok {
			return nil
		}
		r.End, r.Over = r.end, r.Over || snap.State.Ended()
		snap.Warnings = append(snap.Warnings, r.log.Warnings()...)
		return snap
	})
}

// arrange sets the instants of all events so that they never decrease. Events after the application's end, such as
// ends of jobs that were cancelled with it, are moved before it. It returns ErrNoLog if there is no job.
func (l *Log) arrange() error {
	l.hashes, l.First, l.Last = nil, dag.NoInstant, dag.NoInstant
	shift, steps := events.Straighten(l.stamps())
	for _, s := range steps {
		s.Entry = l.events[s.Entry].line
		l.steps = append(l.steps, s)
	}
	for i := range l.events {
		e := &l.events[i]
		if e.stamp.Known() {
			if shift != nil {
				e.shift = shift[i]
			}
			l.Last = max(l.Last, e.stamp+e.shift)
		}
		e.at = l.Last
		switch e.kind.name {
		case "JobStart", "StageSubmitted", "TaskStart", "TaskEnd":
			l.First = dag.FirstKnown(l.First, e.at)
		}
	}
	if n := slices.IndexFunc(l.events, func(e event) bool { return e.kind.name == "ApplicationEnd" }); n >= 0 {
		end := l.events[n]
		end.at = l.Last
		l.events = append(slices.Delete(l.events, n, n+1), end)
	}
	if !l.First.Known() {
		return ErrNoLog
	}
	return nil
}

// stamps returns the times of all events, with the relations that events.Straighten needs.
func (l *Log) stamps() []events.Stamp {
	out := make([]events.Stamp, len(l.events))
	began := map[int32]int{} // event indices of the starts of tasks
	for i := range l.events {
		e := &l.events[i]
		out[i] = events.Stamp{At: e.stamp, Began: -1, Took: -1}
		switch s := &out[i]; e.kind.name {
		case "ApplicationStart", "SQLExecutionStart", "JobStart", "ExecutorAdded":
			s.Soon = true
		case "TaskStart": // a free core takes the next task at once
			began[e.task.id] = i
			if i > 0 && l.events[i-1].stage == e.stage && l.events[i-1].task != nil {
				s.Prompt = l.events[i-1].task.executor == e.task.executor
			}
		case "TaskEnd":
			s.Soon = true
			if n, ok := began[e.task.id]; ok {
				s.Began, s.Took = n, e.task.took
			}
		}
	}
	return out
}

// Warnings returns warnings about the whole log.
func (l *Log) Warnings() []dag.Warning {
	var out []dag.Warning
	if l.badLines > 0 {
		out = append(out, remark("left out of the event log: %s that no event can be read from", units.Count(l.badLines, "line")))
	}
	if l.copies > 0 {
		out = append(out, remark("left out of the event log: %s that it has twice", units.Count(l.copies, "event")))
	}
	if len(l.steps) > 0 {
		first, moved, where := l.steps[0], 0, "ahead"
		if first.Ahead < 0 {
			where = "behind"
		}
		for _, s := range l.steps {
			moved += s.Entries
		}
		out = append(out, remark("the clock of the event log steps: line %d is %s %s; ParaTimer moved %s to where their order "+
			"and the times of tasks put them", first.Entry, units.Exact(first.Ahead.Abs().Round(time.Millisecond)), where,
			units.Count(moved, "event")))
	}
	return out
}
