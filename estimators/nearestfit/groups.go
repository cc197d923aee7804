package nearestfit

import (
	"cmp"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/runs"
)

// FromGroups makes a job from observed groups. Instants become seconds since the epoch.
func FromGroups(g *dag.Groups, p Params) *Job {
	tasks := make([]Task, len(g.Reduces))
	for i := range g.Reduces {
		r := &g.Reduces[i]
		tasks[i] = Task{Explicit: r.Explicit, Implicit: r.Implicit, Bytes: r.Bytes}
	}
	j := New(tasks, p)
	for _, a := range Arrivals(g) {
		j.Add(a.Task, a.GroupPoint)
	}
	return j
}

// An Arrival is groups that a task has finished.
type Arrival struct {
	Task int
	*dag.GroupPoint
}

// Arrivals returns the points of all tasks in order of arrival, those of one instant in order of tasks.
func Arrivals(g *dag.Groups) []Arrival {
	each := make([][]Arrival, len(g.Reduces))
	for i := range g.Reduces {
		done := g.Reduces[i].Done
		each[i] = make([]Arrival, len(done))
		for k := range done {
			each[i][k] = Arrival{i, &done[k]}
		}
	}
	return runs.Merge(each, func(a, b Arrival) int { return cmp.Compare(a.At, b.At) })
}

// Add records groups of a task. An unknown instant becomes the epoch: a profile keeps no instants.
func (j *Job) Add(task int, d *dag.GroupPoint) {
	at := 0.0
	if d.At.Known() {
		at = float64(d.At) / 1000
	}
	j.Record(task, at, d.Bytes, d.Took.Seconds(), d.Count)
}
