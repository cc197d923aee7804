package whatif

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/paratimer/paratimer/dag"
)

// pool changes the capacity of a pool and our queue's share: memory in whole containers, or executors' cores. More
// capacity comes as machines like the existing ones. With less, every machine shrinks.
func (w *clusterState) pool(by Slots) error {
	c := &w.s.Plan.Cluster
	if math.IsInf(by.N, 1) {
		w.unlimited()
		return nil
	}
	one, was, cores := slotSize(w.s.Plan), capacity(w.s), c.Policy == dag.Executors
	switch {
	case was == 0 && cores:
		return errors.New("the number of cores of the executors is unknown")
	case was == 0:
		return errors.New("the memory of the cluster is unknown")
	}
	n, err := by.of(was/one, 0)
	if err != nil {
		return err
	}
	is := n * one
	if by.Op != Set {
		is += was % one
	}
	if by.Op == Times {
		is = max(int(math.Round(by.N*float64(was))), one)
	}
	switch least := w.least(); {
	case !cores && is > dag.MaxMemory:
		return errors.New("that is more memory than a cluster can have")
	case cores && is < least:
		return fmt.Errorf("%d cores are too few for a task that takes %d", is, least)
	case is < least:
		return fmt.Errorf("%d MB are too little for an application master and a task, which take %d MB", is, least)
	}
	w.s.Coming, c.Elastic = nil, dag.Elastic{} // the number of cores is now fixed by the change
	ratio := float64(is) / float64(was)
	w.resizeNodes(nodesSize(w.s), ratio)
	if c.QueueMB > 0 {
		c.QueueMB = int(math.Round(float64(c.QueueMB) * ratio))
	}
	*size(c) = int(math.Round(float64(*size(c)) * ratio))
	return nil
}

// least returns the capacity that every job needs: its largest task, plus its master if masters use memory.
func (w *clusterState) least() int {
	least := 0
	for j := range w.s.Plan.Jobs {
		if w.ended(j) {
			continue
		}
		task := 0
		for k := range w.s.Plan.Jobs[j].NumStages() {
			task = max(task, need(w.s.Plan, j, k))
		}
		least = max(least, task+w.master(j))
	}
	return least
}

// master returns the memory of a job's master in MB, 0 for executors.
func (w *clusterState) master(j int) int {
	am := w.s.Plan.Jobs[j].MasterMB
	switch {
	case w.s.Plan.Cluster.Policy == dag.Executors:
		return 0
	case am == 0:
		return max(need(w.s.Plan, j, 0), dag.DefaultMB)
	}
	return am
}

// resizeNodes adds machines like the existing ones, the last one with the remaining capacity, or shrinks all
// machines.
func (w *clusterState) resizeNodes(sum int, ratio float64) {
	if sum == 0 {
		return
	}
	base := len(w.s.Nodes)
	more := int(math.Round(float64(sum) * (ratio - 1)))
	for i := 0; more > 0 && len(w.s.Nodes) < mostNodes; i++ {
		n := w.s.Nodes[i%base]
		has := nodeSize(w.s, &n)
		if n.Lost || *has <= 0 {
			continue
		}
		n.Name = fmt.Sprintf("%s+%d", n.Name, i/base+1)
		*has = min(*has, more)
		more -= *has
		w.s.Nodes = append(w.s.Nodes, n)
	}
	if more <= 0 && ratio >= 1 {
		return
	}
	before, got := 0, 0
	for i := range w.s.Nodes {
		has := nodeSize(w.s, &w.s.Nodes[i])
		is := int(math.Round(float64(*has) * ratio))
		if w.s.Plan.Cluster.Policy == dag.Executors { // cores are few, so rounding must not lose any
			before += *has
			is = int(math.Round(float64(before)*ratio)) - got
		}
		*has, got = is, got+is
	}
}

// mostNodes limits the number of machines that are added or considered.
const mostNodes = 100_000

// unlimited makes the pool large enough for all tasks and masters at once.
func (w *clusterState) unlimited() {
	c, one := &w.s.Plan.Cluster, slotSize(w.s.Plan)
	sum, most := 0, dag.MaxMemory
	for _, l := range w.s.Load {
		sum += l.HeldMB + l.PendingMB
	}
	if c.Policy == dag.Executors {
		sum, most = 0, dag.MaxSlots
	}
	for j := range w.s.Plan.Jobs {
		job := &w.s.Plan.Jobs[j]
		job.MapReduce.MaxMaps, job.MapReduce.MaxReduces = 0, 0
		for k := range job.NumStages() {
			job.Stages[k].MaxRunning = 0
		}
		if c.Policy == dag.Executors {
			sum += coresOf(w.s.Plan, j)
		} else {
			sum += max(job.MasterMB, one, dag.DefaultMB) + job.Tasks()*max(one, dag.DefaultMB)
		}
	}
	*size(c), c.QueueMB, w.s.Nodes = min(2*sum, most), 0, nil
	w.costs.share = 0
}

// ideal gives every task a slot, and removes start-ups and pauses. MapReduce's waves then do not wait for each other.
func (w *clusterState) ideal() {
	c := &w.s.Plan.Cluster
	w.costs.ideal = true
	if w.s.Plan.OnlyMapReduce() {
		if c.Policy != dag.FIFO { // tasks keep the nodes that they would have with half of the containers for maps
			n := w.tasks()
			if mb := capacity(w.s); mb > 0 {
				n = mb / slotSize(w.s.Plan)
			}
			c.Policy, c.SlotsPerNode = dag.FIFO, max(1, (max(n, 2)+1)/2/max(1, len(w.s.Nodes)))
		}
		c.MapSlots, c.ReduceSlots = max(w.tasksOf(dag.Map), 1), max(w.tasksOf(dag.Reduce), 1)
		return
	}
	w.unlimited()
	w.s.Plan.Driver, w.s.Plan.Overheads = dag.Eager, dag.Overheads{}
	for j := range w.s.Plan.Jobs {
		for k := range w.s.Plan.Jobs[j].Stages {
			w.s.Plan.Jobs[j].Stages[k].Pause = 0
		}
	}
}

// coresOf returns the number of cores that all tasks of a job need.
func coresOf(p *dag.Plan, j int) int {
	n := 0
	for k := range p.Jobs[j].NumStages() {
		n += p.Jobs[j].Stages[k].Count() * need(p, j, k)
	}
	return n
}

// atOnce limits how many tasks of a kind the AM of a MapReduce job may run at once (mapreduce.job.running.map.limit).
func (w *clusterState) atOnce(by Slots) error {
	some := false
	for j := range w.s.Plan.Jobs {
		job := &w.s.Plan.Jobs[j]
		if !job.IsMapReduce() {
			continue
		}
		some = true
		limit, k := &job.MapReduce.MaxMaps, dag.Map
		if by.Which == Reduces {
			limit, k = &job.MapReduce.MaxReduces, dag.Reduce
		}
		fits := max((capacity(w.s)-job.MasterMB)/cmp.Or(need(w.s.Plan, j, k), dag.DefaultMB), 1)
		n, err := by.of(cmp.Or(*limit, fits), 0)
		if err != nil {
			return err
		}
		if n == 0 && !math.IsInf(by.N, 1) && job.Stages[k].Count() > 0 {
			return fmt.Errorf("that leaves no container for the %s tasks of %s", job.Stages[k].Name, job.Node)
		}
		if n > fits {
			w.note("slots %s: no more than %d %s tasks of %s fit into the memory at once", by, fits,
				job.Stages[k].Name, job.Node)
		}
		*limit = n
	}
	if !some {
		return errors.New("no job has maps and reduces: give a number for all stages, without map= or reduce=")
	}
	return nil
}

// roomFrom adjusts the share of tasks that start together on a node, if the cluster grew and the model has no nodes.
func (c *costs) roomFrom(was *dag.Cluster, s *dag.Snapshot) {
	if is := s.Plan.Cluster.MemoryMB; len(s.Nodes) == 0 && c.share > 0 && was.MemoryMB > 0 && is > was.MemoryMB {
		c.share = float64(was.MemoryMB) / float64(is)
	}
}

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
