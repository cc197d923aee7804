package whatif

import (
	"errors"
	"fmt"
	"math"

	"github.com/paratimer/paratimer/dag"
)

// containers changes the memory of a YARN cluster, and what our queue may use of it, by whole containers. More of them
// come on machines like those that are there; with fewer every machine has less.
func (w *world) containers(by Slots) error {
	c := &w.s.Plan.Cluster
	if math.IsInf(by.N, 1) {
		w.unlimited()
		return nil
	}
	mb, was := containerMB(w.s.Plan), memory(w.s)
	if was == 0 {
		return errors.New("nobody has told how much memory the cluster has")
	}
	n, err := by.of(was/mb, 0)
	if err != nil {
		return err
	}
	is := n * mb
	if by.Op != Set {
		is += was % mb
	}
	if by.Op == Times {
		is = max(int(math.Round(by.N*float64(was))), mb)
	}
	if is > dag.MaxMemory {
		return errors.New("that is more memory than a cluster can have")
	}
	if least := w.leastMB(); is < least {
		return fmt.Errorf("%d MB are too little for an application master and a task, which take %d MB", is, least)
	}
	ratio := float64(is) / float64(was)
	w.nodeMB(nodeMemory(w.s), ratio)
	if c.QueueMB > 0 {
		c.QueueMB = int(math.Round(float64(c.QueueMB) * ratio))
	}
	c.MemoryMB = int(math.Round(float64(c.MemoryMB) * ratio))
	return nil
}

// leastMB is the memory that every job can run in: its master and its largest task.
func (w *world) leastMB() int {
	least := 0
	for j := range w.s.Plan.Jobs {
		if l := &w.s.Plan.Jobs[j].Limits; !w.ended(j) {
			am := l.AMMB
			if am == 0 {
				am = max(l.MapMB, defaultMB)
			}
			least = max(least, am+max(l.MapMB, l.ReduceMB))
		}
	}
	return least
}

// nodeMB adds machines like those that are there, the last of them as large as is left, or takes memory from each.
func (w *world) nodeMB(sum int, ratio float64) {
	if sum == 0 {
		return
	}
	base := len(w.s.Nodes)
	more := int(math.Round(float64(sum) * (ratio - 1)))
	for i := 0; more > 0 && len(w.s.Nodes) < mostNodes; i++ {
		n := w.s.Nodes[i%base]
		if n.Lost || n.MemoryMB <= 0 {
			continue
		}
		n.Name = fmt.Sprintf("%s+%d", n.Name, i/base+1)
		n.MemoryMB = min(n.MemoryMB, more)
		more -= n.MemoryMB
		w.s.Nodes = append(w.s.Nodes, n)
	}
	if more > 0 || ratio < 1 {
		for i := range w.s.Nodes {
			w.s.Nodes[i].MemoryMB = int(math.Round(float64(w.s.Nodes[i].MemoryMB) * ratio))
		}
	}
}

// mostNodes bounds the machines that are made up.
const mostNodes = 100_000

// unlimited gives every task, and every master, a container on a machine of its own.
func (w *world) unlimited() {
	c, mb := &w.s.Plan.Cluster, containerMB(w.s.Plan)
	sum := 0
	for _, l := range w.s.Load {
		sum += l.HeldMB + l.PendingMB
	}
	for j := range w.s.Plan.Jobs {
		job := &w.s.Plan.Jobs[j]
		sum += max(job.Limits.AMMB, mb, defaultMB) + (job.Map.Count()+job.Reduce.Count())*max(mb, defaultMB)
		job.Limits.MaxMaps, job.Limits.MaxReduces = 0, 0
	}
	c.MemoryMB, c.QueueMB, w.s.Nodes = min(2*sum, dag.MaxMemory), 0, nil
	w.costs.share = 0
}

// atOnce changes how many tasks of a kind the AM of a job may run at once (mapreduce.job.running.map.limit).
func (w *world) atOnce(by Slots) error {
	for j := range w.s.Plan.Jobs {
		job := &w.s.Plan.Jobs[j]
		limit, mb, k := &job.Limits.MaxMaps, job.Limits.MapMB, dag.Map
		if by.Which == Reduces {
			limit, mb, k = &job.Limits.MaxReduces, job.Limits.ReduceMB, dag.Reduce
		}
		if mb == 0 {
			mb = defaultMB
		}
		fits := max((memory(w.s)-job.Limits.AMMB)/mb, 1)
		was := *limit
		if was == 0 {
			was = fits
		}
		n, err := by.of(was, 0)
		if err != nil {
			return err
		}
		if n == 0 && !math.IsInf(by.N, 1) && job.Phase(k).Count() > 0 {
			return fmt.Errorf("that leaves no container for the %s tasks of %s", k, job.Node)
		}
		if n > fits {
			w.note(WarnNoEffect, "slots %s: no more than %d %s tasks of %s fit into the memory at once", by, fits, k, job.Node)
		}
		*limit = n
	}
	return nil
}

// roomFrom says of the changed cluster how many fewer tasks start together on a node than a model sees that knows no nodes.
func (c *costs) roomFrom(was *dag.Cluster, s *dag.Snapshot) {
	if is := s.Plan.Cluster.MemoryMB; len(s.Nodes) == 0 && c.share > 0 && was.MemoryMB > 0 && is > was.MemoryMB {
		c.share = float64(was.MemoryMB) / float64(is)
	}
}
