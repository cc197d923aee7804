package tez

import (
	"context"
	"time"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
)

// mostTicks is the number of snapshots of a DAG's history if Options.Every is not set.
const mostTicks = 3600

// A historySource replays a DAG from the history of Tez, in steps of time.
type historySource struct {
	player     *Player
	bad        int
	next, last dag.Instant
	step       dag.Instant
	done       bool
}

// NewHistorySource returns a source that replays a DAG of a history, or the first DAG if o.Workflow is "". o.Every is
// the time between snapshots; 0 is a second, or more for a long DAG. The source ends with io.EOF, or with a
// *recording.CutOffError if the history does not have the DAG's end.
func NewHistorySource(log *Log, o recording.Options) (recording.Source, error) {
	all := log.DAGs()
	id := ""
	for _, each := range all {
		app, _ := IsDAG(each)
		if o.Workflow == "" || o.Workflow == each || o.Workflow == app {
			id = each
			break
		}
	}
	if id == "" {
		return nil, &recording.UnknownError{Workflow: o.Workflow, Holds: all}
	}
	first, last := log.Span(id)
	step := dag.Instant(o.Every / time.Millisecond)
	if step <= 0 {
		step = max(1000, (last-first)/mostTicks)
	}
	return &historySource{player: log.Play(id), bad: log.Bad, next: first, last: last, step: step}, nil
}

// AtMost limits the number of snapshots.
func (s *historySource) AtMost(n int) { s.step = max(s.step, (s.last-s.next)/dag.Instant(n)) }

// Next replays one step.
func (s *historySource) Next(ctx context.Context) (*dag.Snapshot, error) {
	for {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		now := min(s.next, s.last)
		snap, ok, err := s.player.At(now)
		switch {
		case err != nil:
			return nil, err
		case s.done:
			return nil, &recording.CutOffError{At: s.last}
		}
		s.done = now >= s.last
		s.next += s.step
		if !ok {
			continue
		}
		if s.bad > 0 {
			marked := *snap
			marked.Warnings = append(marked.Warnings[:len(marked.Warnings):len(marked.Warnings)], dag.Warning{
				Code: dag.WarnObservation,
				Text: recording.LeftOut(s.bad, "record or file of the history is not an event", "records or files of the history are not events"),
			})
			snap = &marked
		}
		return snap, nil
	}
}
