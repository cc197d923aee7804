package whatif

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/dag"
)

// slots changes the number of slots, containers or cores.
func (w *clusterState) slots(by Slots) error {
	if w.s.Plan.Cluster.Policy == dag.FIFO {
		return w.fifoSlots(by)
	}
	if by.Which == Both {
		return w.pool(by)
	}
	return w.atOnce(by)
}

func (w *clusterState) fifoSlots(by Slots) error {
	c := &w.s.Plan.Cluster
	for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
		if by.Which == Maps && k == dag.Reduce || by.Which == Reduces && k == dag.Map {
			continue
		}
		to, tasks := &c.MapSlots, w.tasksOf(k)
		if k == dag.Reduce {
			to = &c.ReduceSlots
		}
		n, err := by.of(*to, max(tasks, *to))
		if err != nil {
			return err
		}
		if n == 0 && tasks > 0 {
			return fmt.Errorf("that leaves no slot for %d %s tasks", tasks, dag.MapReduceName(k))
		}
		*to = n
	}
	return nil
}

// tasksOf counts the maps or the reduces of unfinished MapReduce jobs.
func (w *clusterState) tasksOf(k dag.StageIndex) int {
	n := 0
	for j := range w.s.Plan.Jobs {
		if job := &w.s.Plan.Jobs[j]; !w.ended(j) && job.IsMapReduce() {
			n += job.Stages[k].Count()
		}
	}
	return n
}

// tasks counts the tasks of unfinished jobs.
func (w *clusterState) tasks() int {
	n := 0
	for j := range w.s.Plan.Jobs {
		if !w.ended(j) {
			n += w.s.Plan.Jobs[j].Tasks()
		}
	}
	return n
}

// of applies the change to n; all is the result for an infinite number.
func (s Slots) of(n, all int) (int, error) {
	v := s.N
	switch {
	case math.IsInf(v, 1):
		return all, nil
	case s.Op == Add:
		v += float64(n)
	case s.Op == Times:
		v = math.Round(v * float64(n))
		if n > 0 {
			v = max(v, 1)
		}
	}
	if v < 0 || v > dag.MaxSlots {
		return 0, fmt.Errorf("there would be %.0f, now there are %d", v, n)
	}
	return int(v), nil
}
