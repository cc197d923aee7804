package whatif

import (
	"github.com/paratimer/paratimer/dag"
)

// policy changes the scheduler. Slots become containers and containers slots: as many tasks fit as before.
func (w *world) policy(to Policy) {
	c := &w.s.Plan.Cluster
	switch {
	case to == Ideal:
		w.toSlots()
		w.costs.ideal = true
		c.MapSlots, c.ReduceSlots = max(w.tasks(dag.Map), 1), max(w.tasks(dag.Reduce), 1)
	case to == FIFO && c.Policy == dag.YARN:
		w.toSlots()
		w.note(WarnApproximate, "policy fifo: of %d containers %d are taken for map slots and %d for reduce slots; say otherwise with --slots map=…, reduce=…",
			c.MapSlots+c.ReduceSlots, c.MapSlots, c.ReduceSlots)
	case to == YARN && c.Policy == dag.FIFO:
		w.toContainers()
	}
}

// toSlots makes slots of containers: half of them for maps, as Hadoop 0.20 has it unless told otherwise, and no wave waits for
// the others of the wave before.
func (w *world) toSlots() {
	c := &w.s.Plan.Cluster
	if c.Policy == dag.FIFO {
		return
	}
	n := max(memory(w.s)/containerMB(w.s.Plan), 2)
	if memory(w.s) == 0 {
		n = max(w.tasks(dag.Map)+w.tasks(dag.Reduce), 2)
	}
	c.Policy, c.MapSlots, c.ReduceSlots = dag.FIFO, n-n/2, n/2
	c.SlotsPerNode = max(1, c.MapSlots/max(1, len(w.s.Nodes)))
}

// toContainers makes one pool of all slots. A master takes a container's place, too.
func (w *world) toContainers() {
	c := &w.s.Plan.Cluster
	c.Policy = dag.YARN
	mb := containerMB(w.s.Plan)
	n := max(c.MapSlots+c.ReduceSlots, w.leastContainers())
	c.MemoryMB = min(n*mb, dag.MaxMemory)
	for j := range w.s.Plan.Jobs {
		l := &w.s.Plan.Jobs[j].Limits
		if l.SlowStart == 0 && l.RampUp == 0 {
			l.SlowStart, l.RampUp = 0.05, 0.5 // Hadoop's defaults
		}
	}
	if w.s.Plan.Overheads == (dag.Overheads{}) {
		w.note(WarnApproximate, "policy yarn: the plan tells no pauses of YARN (launch, heartbeat, waves); none are counted")
	}
	w.note(WarnApproximate, "policy yarn: %d slots are taken for %d containers of %d MB, masters among them", c.MapSlots+c.ReduceSlots, n, mb)
}

// leastContainers lets a master of each job that is left, what runs, and one task more be held at once: with less, masters could
// take all that there is and wait for each other for ever.
func (w *world) leastContainers() int {
	n := 1
	for j := range w.s.Jobs {
		if !w.ended(j) {
			n += 1 + w.s.Jobs[j].Map.Running() + w.s.Jobs[j].Reduce.Running()
		}
	}
	return n
}
