package spark

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"

	"github.com/paratimer/paratimer/adapters/internal/clock"
	"github.com/paratimer/paratimer/adapters/internal/eventlog"
	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
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
	progress    func(bytes int)
	id          string // of the application; includes the attempt number after the first attempt
	app         string
	lines       int                 // non-empty lines
	badLines    int                 // lines that are not events
	copies      int                 // repeated events
	hashes      map[uint64]struct{} // of events that a log has once
	seed        maphash.Seed
	steps       []clock.Step
}

// readEvery is the number of lines between two progress reports.
const readEvery = 1000

// ErrNoLog means that a file has no Spark jobs.
var ErrNoLog = errors.New("spark: no job of an application in it: not an event log, or one of an application that has run nothing")

// ReadLog reads an event log: lines of JSON, plain or compressed, as eventlog.Unpack reads them. A cut-off end is
// not an error.
func ReadLog(in io.Reader) (*Log, error) {
	l := newLog()
	if err := l.read(in); err != nil {
		return nil, err
	}
	return l, l.arrange()
}

func newLog() *Log {
	return &Log{hashes: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
}

// read reads one file of a log.
func (l *Log) read(in io.Reader) error {
	b, err := eventlog.Unpack(in)
	if err != nil {
		return fmt.Errorf("spark: %w", err)
	}
	var bad input.Streak
	for n := 1; ; n++ {
		if n%readEvery == 0 && l.progress != nil {
			l.progress(l.total)
		}
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

// name sets the application's id in a log without one.
func (l *Log) name(id string) {
	for _, e := range l.events {
		if e.kind.name == "ApplicationStart" {
			l.id, e.more.AppID = id, text(id)
		}
	}
}

// ID returns the id of the application.
func (l *Log) ID() string { return l.id }

// A Reader replays a log from its beginning. It is not safe for concurrent use.
type Reader struct {
	log  *Log
	app  *App
	next int
}

// Reader returns a reader at the beginning of the log. id is the application's or a unit's; "" is the application.
func (l *Log) Reader(id string) *Reader {
	app := NewApp(id)
	app.inLog = true
	return &Reader{log: l, app: app}
}

// Holds reports whether the log has a job of the application or unit with this id.
func (l *Log) Holds(id string) bool {
	app, of := parseID(id)
	return (app == "" || app == l.id || app == l.app) && slices.ContainsFunc(l.events, func(e event) bool {
		if e.kind.name != "JobStart" {
			return false
		}
		switch job := &e.more.Job; of.kind {
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
	for r.next < len(r.log.events) && r.log.events[r.next].at <= now {
		e := &r.log.events[r.next]
		e.kind.apply(r.app, e)
		r.next++
	}
	return r.app.Snapshot(now, false)
}
