package whatif

import (
	"errors"

	"github.com/paratimer/paratimer/dag"
)

// policy changes the scheduler. Slots become containers or the reverse; the number of parallel tasks stays the same.
func (w *clusterState) policy(to Policy) error {
	c := &w.s.Plan.Cluster
	onlyMapReduce := w.s.Plan.OnlyMapReduce()
	switch {
	case to == Ideal && onlyMapReduce:
		w.toSlots()
		w.costs.ideal = true
		c.MapSlots, c.ReduceSlots = max(w.tasksOf(dag.Map), 1), max(w.tasksOf(dag.Reduce), 1)
	case to == Ideal:
		w.unlimited()
		w.costs.ideal = true
		w.s.Plan.Driver, w.s.Plan.Overheads = dag.Eager, dag.Overheads{}
		for j := range w.s.Plan.Jobs {
			for k := range w.s.Plan.Jobs[j].Stages {
				w.s.Plan.Jobs[j].Stages[k].Pause = 0
			}
		}
	case to == FIFO && !onlyMapReduce:
		return errors.New("the plan has other stages than maps and reduces, and there would be slots for these alone")
	case to == FIFO && c.Policy != dag.FIFO:
		room := "containers"
		if c.Policy == dag.Executors {
			room = "cores"
		}
		w.toSlots()
		w.note(WarnApproximate,
			"policy fifo: of %d %s %d are taken for map slots and %d for reduce slots; say otherwise with --slots map=…, reduce=…",
			c.MapSlots+c.ReduceSlots, room, c.MapSlots, c.ReduceSlots)
	case to == YARN && c.Policy != dag.YARN:
		w.toContainers()
	}
	return nil
}

// toSlots turns containers into slots: half of them for maps, as in Hadoop 0.20 by default. Waves then no longer wait
// for each other.
func (w *clusterState) toSlots() {
	c := &w.s.Plan.Cluster
	if c.Policy == dag.FIFO {
		return
	}
	n := max(capacity(w.s)/slotSize(w.s.Plan), 2)
	if capacity(w.s) == 0 {
		n = max(w.tasks(), 2)
	}
	c.Policy, c.MapSlots, c.ReduceSlots = dag.FIFO, n-n/2, n/2
	c.SlotsPerNode = max(1, c.MapSlots/max(1, len(w.s.Nodes)))
}

// toContainers makes one pool of all slots, or one container of each core. Masters also use containers.
func (w *clusterState) toContainers() {
	c := &w.s.Plan.Cluster
	had, slots := roomOf(w.s).Total(), "slots"
	if c.Policy == dag.Executors {
		slots = "cores"
		for j := range w.s.Plan.Jobs {
			for k := range w.s.Plan.Jobs[j].NumStages() {
				w.s.Plan.Jobs[j].Stages[k].MemoryMB = need(w.s.Plan, j, k) * defaultMB
			}
		}
		for i := range w.s.Nodes {
			w.s.Nodes[i].MemoryMB = w.s.Nodes[i].Cores * defaultMB
		}
	}
	c.Policy = dag.YARN
	mb := slotSize(w.s.Plan)
	if slots == "cores" {
		mb = defaultMB
	}
	n := max(had, w.leastContainers())
	c.MemoryMB = min(n*mb, dag.MaxMemory)
	for j := range w.s.Plan.Jobs {
		l := &w.s.Plan.Jobs[j].MapReduce
		if l.SlowStart == 0 && l.RampUp == 0 {
			l.SlowStart, l.RampUp = 0.05, 0.5 // Hadoop's defaults
		}
	}
	if w.s.Plan.Overheads == (dag.Overheads{}) {
		w.note(WarnApproximate,
			"policy yarn: the plan tells no pauses of YARN (launch, heartbeat, waves); none are counted")
	}
	w.note(WarnApproximate, "policy yarn: %d %s are taken for %d containers of %d MB, masters among them", had, slots,
		n, mb)
}

// leastContainers returns the containers for a master of each remaining job, the running tasks, and one more task.
// With less, masters could take all containers and wait for each other forever.
func (w *clusterState) leastContainers() int {
	n := 1
	for j := range w.s.Jobs {
		if !w.ended(j) {
			n++
			for k := range w.s.Jobs[j].Stages {
				n += w.s.Jobs[j].Stages[k].Running()
			}
		}
	}
	return n
}
