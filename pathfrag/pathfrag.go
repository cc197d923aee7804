// Package pathfrag finds the part of a schedule that matters: task rounds, path fragments, the critical path and
// slack (ParaTimer, SIGMOD 2010, section 3.1).
//
// Invariant: the length of the critical path is the schedule's makespan minus now.
//
// [Find] reads any [schedule.Schedule], from a replay or from history, and its plan. The tolerances of [Params]
// change how many tasks count as one round, never the path's length.
//
// # Stability
//
// Names and meanings stay within a major version; fields may be added (docs/api.md).
package pathfrag

import (
	"iter"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// Params are the tolerances of Definition 3.1 and of "consecutive". They never change the path's length. They count
// in whole milliseconds; negative values count as 0.
type Params struct {
	Delta1 time.Duration // tasks of a round start, and end, within this of each other
	Delta2 time.Duration // a round follows another if it starts no later than this after it
}

// A Round is a set of tasks of stages with one index that start together and end together, at most one a slot
// (Definition 3.1). A pause is a round of width 0 without a stage. A failed attempt that the path needs is a round
// of width 0, too: see Find.
type Round struct {
	ID         int // its index in Path.Rounds
	Stage      dag.StageIndex
	Pause      dag.Pause
	Start, End dag.Instant // the earliest start and the latest end of its tasks
	Width      int         // number of its tasks
	Spans      []int       // indices into Path.Schedule.Spans, ordered by job and first task
}

// A Fragment is a chain of consecutive rounds of equal width; only the last may be narrower (section 3.1.2).
type Fragment struct {
	ID         int // its index in Path.Fragments
	Stage      dag.StageIndex
	Pause      dag.Pause
	Width      int
	Rounds     []int // round ids
	Start, End dag.Instant
}

// A Segment is a fragment's part of the critical path. Extra means that an earlier segment overlaps its start, so
// only the rest counts.
type Segment struct {
	Fragment   int
	Extra      bool
	Start, End dag.Instant
}

// A Path is a schedule cut into rounds and fragments, with the critical path through them.
type Path struct {
	// Schedule is the input schedule. If the tasks of a span are in several rounds, it is split into one span a
	// round.
	Schedule  *schedule.Schedule
	Rounds    []Round
	Fragments []Fragment
	Critical  []Segment
	Slack     []time.Duration // by job: see slack
}

// Length returns the sum of the critical path's segments: the time remaining.
func (p *Path) Length() time.Duration {
	var sum time.Duration
	for _, s := range p.Critical {
		sum += s.End.Sub(s.Start)
	}
	return sum
}

// JobOf returns a job with a task in the fragment, -1 if the fragment is a wait of no job.
func (p *Path) JobOf(f *Fragment) int {
	for _, r := range f.Rounds {
		for _, i := range p.Rounds[r].Spans {
			return int(p.Schedule.Spans[i].Job)
		}
	}
	return -1
}

// Spans yields the work that the critical path waits for in a segment: the spans of its fragment that overlap it,
// in order of their rounds. They belong to the schedule: read only.
func (p *Path) Spans(seg Segment) iter.Seq[*schedule.Span] {
	return func(yield func(*schedule.Span) bool) {
		for _, r := range p.Fragments[seg.Fragment].Rounds {
			for _, i := range p.Rounds[r].Spans {
				if sp := &p.Schedule.Spans[i]; sp.Start < seg.End && sp.End > seg.Start && !yield(sp) {
					return
				}
			}
		}
	}
}

// Find cuts a schedule into rounds and fragments and finds its critical path. Plan gives the jobs' dependencies. If
// it has no order (a cycle, an unknown dependency, too many jobs), Find returns an error of package dag.
//
// Attempts that fail are in no round and no fragment. If nothing else runs during one, the path would have a gap,
// so the attempt gets a round and a fragment of width 0, as a pause does. A time without any span becomes a
// fragment of kind Wave without rounds. So the path always covers the time from now to the schedule's end.
//
// The cost is n log n in spans and jobs. A slot below 0 is unknown: its task fits any round, and follows no other
// task.
func Find(plan *dag.Plan, s *schedule.Schedule, par Params) (*Path, error) {
	graph, err := dag.NewGraph(plan)
	if err != nil {
		return nil, err
	}
	c := &cutting{spans: s.Spans, delta1: millis(par.Delta1), delta2: millis(par.Delta2), graph: graph}
	c.cut()
	p := &Path{Schedule: s}
	if c.split {
		whole := *s
		whole.Spans = c.spans
		p.Schedule = &whole
	}
	p.Rounds = c.rounds
	p.Fragments = c.chain()
	p.walk()
	p.Slack = slack(plan, graph, p)
	return p, nil
}

func millis(d time.Duration) dag.Instant { return dag.Instant(max(0, d) / time.Millisecond) }

// RoundTasks returns the names of the tasks of a round in order of (job, index), as schedule.TaskName does.
func (p *Path) RoundTasks(plan *dag.Plan, round int) []string {
	return p.tasks(nil, plan, round)
}

// FragmentTasks returns the names of the tasks of a fragment, round after round.
func (p *Path) FragmentTasks(plan *dag.Plan, fragment int) []string {
	var names []string
	for _, r := range p.Fragments[fragment].Rounds {
		names = p.tasks(names, plan, r)
	}
	return names
}

func (p *Path) tasks(names []string, plan *dag.Plan, round int) []string {
	for _, i := range p.Rounds[round].Spans {
		sp := &p.Schedule.Spans[i]
		for t := range sp.Count {
			names = append(names, schedule.TaskName(plan, int(sp.Job), sp.Stage, int(sp.First+t), int(sp.Attempt)))
		}
	}
	return names
}

// RoundTime returns the sum of the lengths of a fragment's rounds. Gaps do not count, overlaps count twice.
func (p *Path) RoundTime(fragment int) time.Duration {
	var sum time.Duration
	for _, r := range p.Fragments[fragment].Rounds {
		sum += p.Rounds[r].End.Sub(p.Rounds[r].Start)
	}
	return sum
}
