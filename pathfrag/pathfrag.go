// Package pathfrag says which part of a schedule matters: task rounds, path fragments, the critical path and slack
// (ParaTimer, SIGMOD 2010, section 3.1; facts A2 and A3).
//
// Invariant: the length of the critical path is the schedule's makespan minus now.
package pathfrag

import (
	"errors"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// Params are the tolerances of Definition 3.1 and of "consecutive". They never change the path's length (facts A3).
type Params struct {
	Delta1 time.Duration // tasks of a round start, and end, within this of each other
	Delta2 time.Duration // a round follows another if it starts no later than this after it
}

// A Round is a set of tasks of one kind that start together and end together, at most one a slot (Definition 3.1).
type Round struct {
	ID         int
	Kind       dag.Kind
	Start, End dag.Instant
	Width      int
	Spans      []int // indices into Schedule.Spans, ordered by job and first task
}

// A Fragment is a chain of consecutive rounds of equal width, but for the last (section 3.1.2).
type Fragment struct {
	ID         int
	Kind       dag.Kind
	Width      int
	Rounds     []int // round ids
	Start, End dag.Instant
}

// A Segment is a fragment's part of the critical path. Extra: an earlier segment overlaps its start, only the rest counts.
type Segment struct {
	Fragment   int
	Extra      bool
	Start, End dag.Instant
}

// A Path is a schedule cut into rounds and fragments, with the critical path through them.
type Path struct {
	Schedule  *schedule.Schedule
	Rounds    []Round
	Fragments []Fragment
	Critical  []Segment
	Slack     []time.Duration // of each job: how much later it may end without moving the end of the query
}

// Length is the sum of the critical path's segments: the time remaining.
func (p *Path) Length() time.Duration {
	var sum time.Duration
	for _, s := range p.Critical {
		sum += s.End.Sub(s.Start)
	}
	return sum
}

// Find cuts a schedule into rounds and fragments and finds its critical path.
func Find(plan *dag.Plan, s *schedule.Schedule, par Params) (*Path, error) {
	return nil, errors.ErrUnsupported
}
