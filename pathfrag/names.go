package pathfrag

import (
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// RoundTasks names the tasks of a round in order of (job, index), as schedule.TaskName does.
func (p *Path) RoundTasks(plan *dag.Plan, round int) []string {
	return p.tasks(nil, plan, round)
}

// FragmentTasks names the tasks of a fragment, round after round.
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

// RoundTime is the sum of the lengths of a fragment's rounds. Gaps between rounds are not in it, overlaps are twice.
func (p *Path) RoundTime(fragment int) time.Duration {
	var sum time.Duration
	for _, r := range p.Fragments[fragment].Rounds {
		sum += p.Rounds[r].End.Sub(p.Rounds[r].Start)
	}
	return sum
}
