package whatif

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/queueing"
)

// Queueing predicts by a queueing network, from the demands of tasks for CPUs, disks and network, for which they
// contend.
type Queueing struct {
	spec  *queueing.Spec
	room  Room
	waves [][]int // indices into the spec's jobs
}

// NewQueueing returns the predictor of jobs with known demands. If all of them are jobs of the plan, they run in its
// waves, else all at once. Changes of slots are relative to room.
func NewQueueing(spec *queueing.Spec, plan *dag.Plan, room Room) (*Queueing, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	return &Queueing{spec: spec, room: room, waves: wavesOf(spec, plan)}, nil
}

// wavesOf returns the levels of the plan, as indices into the spec's jobs.
func wavesOf(spec *queueing.Spec, plan *dag.Plan) [][]int {
	all := make([]int, len(spec.Jobs))
	for i := range all {
		all[i] = i
	}
	graph, err := dag.NewGraph(plan)
	if err != nil {
		return [][]int{all}
	}
	waves := make([][]int, len(graph.Levels()))
	for i := range spec.Jobs {
		j := slices.IndexFunc(plan.Jobs, func(p dag.Job) bool { return p.Node == spec.Jobs[i].Name })
		if j < 0 {
			return [][]int{all}
		}
		waves[graph.Level(j)] = append(waves[graph.Level(j)], i)
	}
	return slices.DeleteFunc(waves, func(w []int) bool { return len(w) == 0 })
}

// Predict returns the sum over the waves of the longest response of a wave's jobs.
func (q *Queueing) Predict(c Change) (Answer, error) {
	spec := *q.spec
	spec.Jobs = slices.Clone(spec.Jobs)
	if err := q.change(&spec, c); err != nil {
		return Answer{}, err
	}
	a := Answer{Model: ModelQueueing, Change: c, AssumedRatio: math.NaN()}
	total := 0.0
	for _, wave := range q.waves {
		one := spec
		one.Jobs = nil
		for _, i := range wave {
			one.Jobs = append(one.Jobs, spec.Jobs[i])
		}
		r, err := queueing.Solve(&one, queueing.Product, queueing.Options{})
		if err != nil {
			return Answer{}, &UnsupportedError{ModelQueueing, c.String(), err.Error()}
		}
		longest := 0.0
		for i := range r.Jobs {
			longest = max(longest, r.Jobs[i].Response)
		}
		total += longest
		for _, w := range r.Warnings {
			said := Warning{w.Code, "the queueing model: " + w.Text}
			if !slices.Contains(a.Warnings, said) { // another wave may have the same warning
				a.Warnings = append(a.Warnings, said)
			}
		}
		if !r.Converged {
			a.Warnings = append(a.Warnings,
				Warning{
					WarnApproximate,
					fmt.Sprintf("the queueing model did not settle: its last step still moved %.3g s", r.Residual),
				})
		}
	}
	d, ok := lengthOf(total)
	if !ok {
		return Answer{}, &UnsupportedError{ModelQueueing, c.String(), "it would take longer than any time that can be shown"}
	}
	a.Remaining = &d
	return a, nil
}

// change applies a change to the demands and the nodes. The model has equal tasks in a class and no failures.
func (q *Queueing) change(s *queueing.Spec, c Change) error {
	no := func(what, why string) error { return &UnsupportedError{ModelQueueing, what, why} }
	switch {
	case c.Policy != AsIs:
		return no("policy", "it knows no scheduler")
	case c.Even:
		return no("skew none", "its tasks of a kind are all alike")
	case c.SlowStart != nil:
		return no("slow start", "its reduces always start with the maps")
	case len(c.Failures) > 0 || c.Unfailing:
		return no("failures", "nothing fails in it")
	}
	for _, by := range c.Slots {
		if err := q.slots(s, by); err != nil {
			return err
		}
	}
	for i := range s.Jobs {
		job := &s.Jobs[i]
		if c.Scale != 0 && c.Scale != 1 {
			maps := math.Round(float64(job.Maps) * c.Scale)
			if maps < 1 || maps > dag.MaxTasks {
				return no("scale", fmt.Sprintf("%s would have %.3g maps", job.Name, maps))
			}
			*job = job.WithMaps(int(maps))
		}
		for _, p := range c.Pace {
			if p.Job == "" || p.Job == job.Name {
				job.Map.CPU, job.Shuffle.CPU, job.Merge.CPU = job.Map.CPU*p.Factor, job.Shuffle.CPU*p.Factor,
					job.Merge.CPU*p.Factor
			}
		}
	}
	if err := s.Validate(); err != nil {
		return no(c.String(), err.Error())
	}
	return nil
}

// slots changes the number of nodes, or the slots of a kind on each node.
func (q *Queueing) slots(s *queueing.Spec, by Slots) error {
	to, was := &s.Nodes, q.room.Total()
	switch by.Which {
	case Maps:
		to, was = &s.MapSlots, q.room.Maps
	case Reduces:
		to, was = &s.ReduceSlots, q.room.Reduces
		s.ReduceSlots = max(s.ReduceSlots, 1)
	}
	ratio, ok := by.ratio(was)
	n := float64(*to) * ratio
	if !ok || math.Abs(n-math.Round(n)) > 1e-9 || n < 1 || n > dag.MaxSlots {
		return &UnsupportedError{
			ModelQueueing, "slots " + by.String(),
			"it counts whole nodes, with as many slots each",
		}
	}
	*to = int(math.Round(n))
	return nil
}

// ratio returns the new number of slots divided by the old one; ok is false if it is unknown.
func (s Slots) ratio(was int) (ratio float64, ok bool) {
	switch {
	case math.IsInf(s.N, 1):
		return 0, false
	case s.Op == Times:
		return s.N, true
	case was <= 0:
		return 0, false
	case s.Op == Add:
		return (float64(was) + s.N) / float64(was), float64(was)+s.N > 0
	}
	return s.N / float64(was), true
}

// lengthOf converts seconds to a duration in whole milliseconds; ok is false if seconds is out of range.
func lengthOf(seconds float64) (d time.Duration, ok bool) {
	if !(seconds >= 0) || seconds > dag.MaxLength.Seconds() {
		return 0, false
	}
	return time.Duration(math.Round(seconds*1000)) * time.Millisecond, true
}
