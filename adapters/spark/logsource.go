package spark

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
)

// mostLogTicks is the number of snapshots of an event log if Options.Every is not set.
const mostLogTicks = 3600

// A logSource replays an event log of Spark in steps of time.
type logSource struct {
	log    *Log
	reader *Reader
	next   dag.Instant
	step   dag.Instant
	done   bool
	played bool // there was a snapshot
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
	step := dag.Instant(o.Every / time.Millisecond)
	if step <= 0 {
		step = max(1000, (log.Last-log.First)/mostLogTicks)
	}
	return &logSource{log: log, reader: log.Reader(o.Workflow), next: log.First, step: step}, nil
}

// ID returns the id of the application.
func (s *logSource) ID() string { return s.log.ID() }

// mostPlayed bounds the total number of tasks in all snapshots if AtMost is used.
const mostPlayed = 4_000_000

// AtMost limits the number of snapshots. With very many tasks there are fewer.
func (s *logSource) AtMost(n int) {
	tasks := len(s.log.events) / 2 // about
	n = max(min(n, mostPlayed/max(tasks, 1)), 1)
	s.step = max(s.step, (s.log.Last-s.next)/dag.Instant(n))
}

// Next replays one step.
func (s *logSource) Next(ctx context.Context) (*dag.Snapshot, error) {
	for {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case s.done && s.log.Ended:
			return nil, io.EOF
		case s.done:
			return nil, &recording.CutOffError{At: s.log.Last, Torn: s.log.Torn}
		}
		now := min(s.next, s.log.Last)
		s.done = now >= s.log.Last
		s.next += s.step
		snap, ok := s.reader.At(now)
		if s.played = s.played || ok; s.done && !s.played {
			return nil, ErrNoTasks
		}
		if !ok {
			continue
		}
		s.done = s.done || snap.State.Ended()
		if more := s.log.Warnings(); len(more) > 0 {
			marked := *snap
			marked.Warnings = slices.Concat(marked.Warnings, more)
			snap = &marked
		}
		return snap, nil
	}
}
