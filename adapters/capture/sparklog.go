package capture

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/dag"
)

// mostLogTicks is how many snapshots an event log is played in, where nobody has said how far apart they are.
const mostLogTicks = 3600

// A logSource plays an event log of Spark in steps of time.
type logSource struct {
	log    *spark.Log
	reader *spark.Reader
	next   dag.Instant
	step   dag.Instant
	done   bool
	played bool // there was a snapshot
}

// ErrNoTasks says that an application ran jobs, and each of them was empty.
var ErrNoTasks = errors.New("spark: nothing to observe: its jobs had no tasks, as an action on no partitions has none")

// NewLogSource plays an event log: a snapshot every so often, 0 is each second, or more seldom where a log is long. It
// ends with io.EOF, or with a *CutOffError where the application has not ended in the log.
func NewLogSource(log *spark.Log, o Options) (interface {
	Next(ctx context.Context) (*dag.Snapshot, error)
}, error,
) {
	if err := log.Missing(o.Workflow); err != nil {
		return nil, err
	}
	if o.Workflow != "" && !log.Holds(o.Workflow) {
		return nil, &UnknownError{Workflow: o.Workflow, Holds: []string{log.ID() + " of Spark"}}
	}
	step := dag.Instant(o.Every / time.Millisecond)
	if step <= 0 {
		step = max(1000, (log.Last-log.First)/mostLogTicks)
	}
	return &logSource{log: log, reader: log.Reader(o.Workflow), next: log.First, step: step}, nil
}

// mostPlayed is how many tasks the snapshots of a log have in all if there is a bound to their number.
const mostPlayed = 4_000_000

// AtMost bounds how many snapshots are played: of very many tasks there are fewer.
func (s *logSource) AtMost(n int) {
	n = max(min(n, mostPlayed/max(s.log.Tasks(), 1)), 1)
	s.step = max(s.step, (s.log.Last-s.next)/dag.Instant(n))
}

// Next plays one step.
func (s *logSource) Next(ctx context.Context) (*dag.Snapshot, error) {
	for {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case s.done && s.log.Ended:
			return nil, io.EOF
		case s.done:
			return nil, &CutOffError{At: s.log.Last, Torn: s.log.Torn}
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
