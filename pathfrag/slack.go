package pathfrag

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// slack is the total float of each job in the job graph, with the instants of the schedule: how much later the job may
// end so that, all else lasting as long as planned, the query still ends when it does. A job waits for the last of the
// jobs before it; under YARN for the whole wave before it, as Pig submits. Slots are not edges: what a late job takes
// from others' slots is not counted, but a job with a task on the critical path has no slack at all, since those who
// follow it there follow in its slots.
//
// It is 0 too for a job that the schedule does not end, and not below 0.
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

// criticalJobs marks the jobs with a task on the critical path. Pauses are shared: their job is the one that they are
// named by.
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

// links are who waits for whom.
type links struct {
	after func(j int) []int       // the jobs that wait for j
	ready func(j int) dag.Instant // when the last that j waits for ends; j waits for one at least
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
