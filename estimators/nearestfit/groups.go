package nearestfit

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/sketch"
)

// FromGroups makes a job of what was observed of its groups. Instants become seconds since the epoch. The reduces'
// groups are fed in the order of their arrival, those of one instant in the order of tasks. start says when a task
// started, and may be nil.
func FromGroups(g *dag.Groups, start func(task int) dag.Instant, p Params) *Job {
	if g == nil {
		return New(nil, p)
	}
	tasks := make([]Task, len(g.Reduces))
	for i := range g.Reduces {
		r := &g.Reduces[i]
		tasks[i] = Task{Explicit: r.Explicit, Implicit: r.Implicit, Bytes: r.Bytes}
	}
	j := New(tasks, p)
	if start != nil {
		for i := range tasks {
			if at := start(i); at.Known() {
				j.Start(i, seconds(at))
			}
		}
	}
	record := func(task, index int) {
		d := &g.Reduces[task].Done[index]
		j.Record(task, seconds(d.At), d.Bytes, d.Took.Seconds(), d.Count)
	}
	if j.params.EWMA > 0 { // all else does not depend on the order between tasks
		for _, a := range arrivals(g.Reduces) {
			record(a.task, a.index)
		}
		return j
	}
	for task := range g.Reduces {
		for index := range g.Reduces[task].Done {
			record(task, index)
		}
	}
	return j
}

type arrival struct {
	at          dag.Instant
	task, index int
}

// arrivals are the points of all reduces in order.
func arrivals(reduces []dag.ReduceGroups) []arrival {
	n := 0
	for i := range reduces {
		n += len(reduces[i].Done)
	}
	all := make([]arrival, 0, n)
	for i := range reduces {
		for k := range reduces[i].Done {
			all = append(all, arrival{reduces[i].Done[k].At, i, k})
		}
	}
	slices.SortFunc(all, func(a, b arrival) int {
		return cmp.Or(cmp.Compare(a.at, b.at), a.task-b.task, a.index-b.index)
	})
	return all
}

// seconds since the epoch; NaN for an instant that is not known.
func seconds(at dag.Instant) float64 {
	if !at.Known() {
		return math.NaN()
	}
	return float64(at) / 1000
}

// Explicit makes the tasks of what maps write: the lambda largest keys of each map, joined by a Space-Saving of this
// capacity (section 4.1). A lambda and a capacity of 0 know all keys: the theoretical form. See sketch.ReduceInputs.
func Explicit[K cmp.Ordered](maps []sketch.Profile[K], reduces, lambda, capacity int) []Task {
	inputs := sketch.ReduceInputs(maps, reduces, lambda, capacity)
	tasks := make([]Task, len(inputs))
	for i, p := range inputs {
		tasks[i] = Task{Bytes: p.Bytes, Implicit: p.Implicit}
		for _, k := range p.Explicit {
			if last := len(tasks[i].Explicit) - 1; last >= 0 && tasks[i].Explicit[last].Bytes == k.Bytes {
				tasks[i].Explicit[last].Count++
				continue
			}
			tasks[i].Explicit = append(tasks[i].Explicit, dag.GroupSize{Bytes: k.Bytes, Count: 1})
		}
	}
	return tasks
}
