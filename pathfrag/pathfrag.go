// Package pathfrag finds the part of a schedule that matters: task rounds, path fragments, the critical path and
// slack (ParaTimer, SIGMOD 2010, section 3.1).
//
// Invariant: the length of the critical path is the schedule's makespan minus now.
//
// [Find] reads any [schedule.Schedule], from a replay or from history, and its plan. The tolerances of [Params]
// change how many tasks count as one round, never the path's length.
//
// [Attribute] explains where the time of a run went: it follows the chain of waits from the run's end back to its first
// submission, and gives each interval of it a cause.
//
// # Stability
//
// Names and meanings stay within a major version; fields may be added. Names of an [Attribution] may change in a minor
// version (CONTRIBUTING.md).
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

// RoundTime returns the sum of the lengths of a fragment's rounds. Gaps do not count, overlaps count twice.
func (p *Path) RoundTime(fragment int) time.Duration {
	var sum time.Duration
	for _, r := range p.Fragments[fragment].Rounds {
		sum += p.Rounds[r].End.Sub(p.Rounds[r].Start)
	}
	return sum
}

// walk finds the critical path (section 3.1.3; facts/paratimer.md A3): from now on the fragment that starts
// earliest, among equal starts the one that ends last, then the one with the smaller id. A fragment that starts
// before the end of a segment and ends after it competes with fragments that start there. So only the fragment that
// ends last of all that have started can follow. Fragments are in order of their starts.
func (p *Path) walk() {
	now := p.Schedule.Now
	at, last := now, -1   // last: the fragment with the last end among those that start by at
	n := len(p.Fragments) // bridges come after them
	var failed []int
	for i := range p.Schedule.Spans {
		if sp := &p.Schedule.Spans[i]; sp.Outcome == schedule.Fails && sp.End > now {
			failed = append(failed, i)
		}
	}
	for next := 0; ; {
		for ; next < n && p.Fragments[next].Start <= at; next++ {
			if last < 0 || p.Fragments[next].End > p.Fragments[last].End {
				last = next
			}
		}
		switch {
		case last >= 0 && p.Fragments[last].End > at:
			f := &p.Fragments[last]
			p.Critical = append(p.Critical, Segment{
				Fragment: last, Extra: max(f.Start, now) < at, Start: at, End: f.End,
			})
			at = f.End
		case next < n:
			p.bridge(failed, at, p.Fragments[next].Start)
			at = p.Fragments[next].Start
		default:
			p.bridge(failed, at, p.Schedule.End)
			return
		}
	}
}

// bridge extends the path through a time in which no attempt succeeds: by the failed attempts that cover it, and
// otherwise by a wait.
func (p *Path) bridge(failed []int, from, to dag.Instant) {
	for from < to {
		best, next := -1, to
		for _, i := range failed {
			sp := &p.Schedule.Spans[i]
			if sp.End <= from || sp.Start >= to {
				continue
			}
			switch {
			case sp.Start > from:
				next = min(next, sp.Start)
			case best < 0 || sp.End > p.Schedule.Spans[best].End:
				best = i
			}
		}
		if best < 0 {
			p.fill(Fragment{Stage: dag.NoStage, Pause: dag.Wave, Start: from, End: next})
			from = next
			continue
		}
		sp := &p.Schedule.Spans[best]
		p.Rounds = append(p.Rounds, Round{
			ID: len(p.Rounds), Stage: sp.Stage, Start: sp.Start, End: sp.End, Spans: []int{best},
		})
		end := min(sp.End, to)
		p.fill(Fragment{Stage: sp.Stage, Rounds: []int{len(p.Rounds) - 1}, Start: from, End: end})
		from = end
	}
}

func (p *Path) fill(f Fragment) {
	f.ID = len(p.Fragments)
	p.Fragments = append(p.Fragments, f)
	p.Critical = append(p.Critical, Segment{Fragment: f.ID, Start: f.Start, End: f.End})
}

// slack returns the total float of each job in the job graph, with the instants of the schedule: how much later the
// job may end without delaying the end of the query, if all other times stay as planned. A job waits for the last
// of the jobs before it; under YARN for the whole wave before it, as Pig submits. Slots are not edges, so the slots
// that a late job takes from others do not count. But a job with a task on the critical path has no slack: the next
// tasks of the path use its slots.
//
// It is 0 too for a job without an end in the schedule, and never below 0.
func slack(plan *dag.Plan, graph *dag.Graph, p *Path) []time.Duration {
	end := func(j int) dag.Instant {
		if j < len(p.Schedule.Finished) {
			return p.Schedule.Finished[j]
		}
		return dag.NoInstant
	}
	slack := make([]time.Duration, len(plan.Jobs))
	critical := p.criticalJobs(len(slack))
	links := jobLinks(plan, graph, end)
	order := graph.Order()
	for i := len(order) - 1; i >= 0; i-- {
		j := order[i]
		if critical[j] || !end(j).Known() {
			continue
		}
		slack[j] = max(0, p.Schedule.End.Sub(end(j)))
		for _, d := range links.after(j) {
			if end(d).Known() {
				slack[j] = min(slack[j], max(0, links.ready(d).Sub(end(j)))+slack[d])
			}
		}
	}
	return slack
}

// criticalJobs marks the jobs with a task on the critical path. Pauses are left out, because several jobs share
// them.
func (p *Path) criticalJobs(n int) []bool {
	on := make([]bool, n)
	for _, seg := range p.Critical {
		for sp := range p.Spans(seg) {
			if sp.Pause == dag.NoPause && int(sp.Job) < n {
				on[sp.Job] = true
			}
		}
	}
	return on
}

// links define which jobs wait for which.
type links struct {
	after func(j int) []int       // the jobs that wait for j
	ready func(j int) dag.Instant // the end of the last job that j waits for; j must wait for at least one
}

func jobLinks(plan *dag.Plan, graph *dag.Graph, end func(int) dag.Instant) links {
	last := func(jobs []int) dag.Instant {
		t := dag.NoInstant
		for _, j := range jobs {
			t = max(t, end(j))
		}
		return t
	}
	if plan.Cluster.Policy != dag.YARN {
		return links{graph.Next, func(j int) dag.Instant { return last(plan.Jobs[j].After) }}
	}
	waves := graph.Levels()
	ends := make([]dag.Instant, len(waves))
	for l, wave := range waves {
		ends[l] = last(wave)
	}
	return links{
		func(j int) []int {
			if l := graph.Level(j) + 1; l < len(waves) {
				return waves[l]
			}
			return nil
		},
		func(j int) dag.Instant { return ends[graph.Level(j)-1] },
	}
}
