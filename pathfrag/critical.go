package pathfrag

import (
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// walk finds the critical path (section 3.1.3; docs/facts/paratimer.md A3): from now on the fragment that starts
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
				Fragment: last, Extra: max(f.Start, now) < at, Start: at,
				End: f.End,
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
			ID: len(p.Rounds), Stage: sp.Stage, Start: sp.Start, End: sp.End,
			Spans: []int{best},
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
