package schedule

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A standing is what of a job the keys of an order look at.
type standing struct {
	submitted          dag.Instant
	remaining, running int
}

// byKeys compares jobs by a scheduler that is given as data (section 3.1.1): by each key of the plan's order, until one
// decides; 0 where none does.
func byKeys(p *dag.Plan, a, b int, of func(j int) standing) int {
	for _, key := range p.Cluster.Order {
		c := 0
		switch x, y := &p.Jobs[a], &p.Jobs[b]; key {
		case dag.BySubmit:
			c = cmp.Compare(of(a).submitted, of(b).submitted)
		case dag.ByPriority:
			c = cmp.Compare(y.Priority, x.Priority)
		case dag.BySize:
			c = cmp.Compare(x.Tasks(), y.Tasks())
		case dag.ByRemaining:
			c = cmp.Compare(of(a).remaining, of(b).remaining)
		case dag.ByRunning:
			c = cmp.Compare(of(a).running, of(b).running)
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// moves says whether a key's order changes while tasks start and end.
func moves(k dag.OrderKey) bool { return k == dag.ByRemaining || k == dag.ByRunning }

// compare orders jobs by the plan's keys, then by (submission, plan position).
func (e *fifoEngine) compare(k dag.StageIndex, a, b int32) int {
	if len(e.order) > 0 {
		c := byKeys(e.plan, int(a), int(b), func(j int) standing {
			job := &e.jobs[j]
			return standing{
				job.submitted, int(job.phases[dag.Map].left) + int(job.phases[dag.Reduce].left),
				job.running[k],
			}
		})
		if c != 0 {
			return c
		}
	}
	if x, y := e.jobs[a].submitted, e.jobs[b].submitted; x != y {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}

// reorder puts the queues of a kind in order where it has moved.
func (e *fifoEngine) reorder(k dag.StageIndex) {
	if !e.moving {
		return
	}
	by := func(a, b int32) int { return e.compare(k, a, b) }
	slices.SortFunc(e.fresh[k], by)
	slices.SortFunc(e.again[k], by)
}

// together is how many of n tasks of one job may start before the order has to be looked at again.
func (e *fifoEngine) together(n int) int {
	if slices.Contains(e.order, dag.ByRunning) {
		return 1
	}
	return n
}

// inOrder are the jobs in the order in which the scheduler serves them: that of submission, or by the plan's keys
// before it.
func (y *containers) inOrder() []int {
	if len(y.s.Plan.Cluster.Order) == 0 {
		return y.order
	}
	y.byKey = append(y.byKey[:0], y.order...)
	slices.SortStableFunc(y.byKey, func(a, b int) int {
		return byKeys(y.s.Plan, a, b, func(j int) standing {
			return standing{y.jobs[j].submitted, y.jobs[j].left(), 0}
		})
	})
	return y.byKey
}
