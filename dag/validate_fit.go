package dag

import (
	"fmt"
	"math"
)

// capacity looks for tasks that the cluster can never run.
func (f *faults) capacity() {
	if f.p.Cluster.Policy == YARN {
		f.memory()
		return
	}
	c := &f.p.Cluster
	for _, s := range []struct {
		kind  Kind
		field string
		slots int
	}{{Map, "cluster.map_slots", c.MapSlots}, {Reduce, "cluster.reduce_slots", c.ReduceSlots}} {
		if s.slots > 0 {
			continue
		}
		for j := range f.p.Jobs {
			if n := f.p.Jobs[j].Phase(s.kind).Count(); n > 0 {
				why := fmt.Sprintf("is 0, and there are %d of them: give the cluster slots", n)
				f.add(&CapacityError{Place: whole(s.field), For: f.p.Jobs[j].Node, Kind: s.kind, Why: why})
				break
			}
		}
	}
}

// memory checks that a job's AM and one of its tasks fit together into what the query may use, and each into a node.
func (f *faults) memory() {
	c := &f.p.Cluster
	most, setting := c.MemoryMB, "cluster.memory"
	if c.QueueMB > 0 && c.QueueMB < most {
		most, setting = c.QueueMB, "cluster.queue_memory"
	}
	node := 0
	for _, n := range c.Nodes {
		node = max(node, n.MemoryMB)
	}
	for j := range f.p.Jobs {
		job := &f.p.Jobs[j]
		for _, k := range []Kind{Map, Reduce} {
			need := job.Limits.MapMB
			if k == Reduce {
				need = job.Limits.ReduceMB
			}
			var at Place
			var why string
			switch {
			case job.Phase(k).Count() == 0:
				continue
			case most == 0:
				at, why = whole(setting), "is 0: give the cluster memory"
			case need+job.Limits.AMMB > most:
				at, why = whole(setting), fmt.Sprintf("is %dMB, and one of them with the job's AM needs %dMB", most, need+job.Limits.AMMB)
			case node > 0 && max(need, job.Limits.AMMB) > node:
				at, why = whole("cluster.nodes"), fmt.Sprintf("have at most %dMB each: a container of %dMB fits on none", node, max(need, job.Limits.AMMB))
			default:
				continue
			}
			f.add(&CapacityError{Place: at, For: job.Node, Kind: k, Why: why})
			return
		}
	}
}

// length bounds the makespan from above: one phase after the other, each in rounds of its longest task.
func (f *faults) length() {
	o := &f.p.Overheads
	pauses := o.Launch.Seconds() + o.AMStart.Seconds() + o.Beat.Seconds() + o.Finish.Seconds() + o.Wave.Seconds() + o.Stagger.Seconds() +
		o.AMHold.Seconds() + o.Copy.Seconds() + o.Cold.Seconds()
	total := 0.0
	for j := range f.p.Jobs {
		total += pauses
		for _, k := range []Kind{Map, Reduce} {
			p := f.p.Jobs[j].Phase(k)
			perTask := f.p.Cluster.Setup.Seconds() + o.Handoff.Seconds() + o.SetupMin.Seconds() + o.SetupPer.Seconds()
			rounds := math.Ceil(float64(p.Count()) / float64(f.width(j, k)))
			total += rounds * (perTask + longest(p)/1000)
		}
	}
	if most := MaxLength.Hours() / 24; total/86400 > most {
		f.add(&LimitError{Place: whole("jobs"), What: "days of running time", Have: math.Ceil(total / 86400), Max: most})
	}
}

// width is how many tasks of a phase the cluster runs at once, at least 1.
func (f *faults) width(j int, k Kind) int {
	c, l := &f.p.Cluster, &f.p.Jobs[j].Limits
	switch {
	case c.Policy == FIFO && k == Map:
		return max(1, c.MapSlots)
	case c.Policy == FIFO:
		return max(1, c.ReduceSlots)
	case k == Map && l.MapMB > 0:
		return max(1, c.MemoryMB/l.MapMB)
	case k == Reduce && l.ReduceMB > 0:
		return max(1, c.MemoryMB/l.ReduceMB)
	}
	return max(1, c.MemoryMB/1024) // Hadoop's default container
}

// longest bounds the milliseconds of a phase's longest task, as far as it is known.
func longest(p *Phase) float64 {
	ms := high(&p.Setup)
	for i := range p.Pipelines {
		ms += high(&p.Pipelines[i].Tuples) * high(&p.Pipelines[i].Alpha)
	}
	return max(ms, high(&p.Extent))
}

// high returns the largest known value, 0 if none is known.
func high(s *Series) float64 {
	if s.IsUniform() {
		if s.Known() {
			return s.At(0)
		}
		return 0
	}
	most := 0.0
	for _, v := range s.Values() {
		if v > most {
			most = v
		}
	}
	return most
}
