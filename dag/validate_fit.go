package dag

import (
	"cmp"
	"fmt"
	"math"
)

// capacity looks for tasks that the cluster can never run.
func (f *faults) capacity() {
	switch f.p.Cluster.Policy {
	case YARN:
		f.memory()
	case Executors:
		f.cores()
	default:
		f.slots()
	}
}

// neverRun reports a setting with which the tasks of a stage can never run.
func (f *faults) neverRun(setting string, job *Job, k int, why string, args ...any) {
	at := whole(setting)
	f.add(&PlanError{at, fmt.Sprintf("the %s tasks of job %q can never run: %v ", job.Stages[k].Name, job.Node, at) +
		fmt.Sprintf(why, args...)})
}

// slots checks that there are slots for maps and for reduces, and that there are no other stages.
func (f *faults) slots() {
	c := &f.p.Cluster
	slots := [...]int{Map: c.MapSlots, Reduce: c.ReduceSlots}
	var reported [len(slots)]bool
	for j := range f.p.Jobs {
		job := &f.p.Jobs[j]
		if !job.IsMapReduce() {
			f.shape(whole("cluster.policy"),
				"%v has slots for maps and reduces, and job %q has other stages: say yarn or executors", c.Policy, job.Node)
			return
		}
		for k, n := range slots {
			if tasks := job.Stages[k].Count(); n <= 0 && tasks > 0 && !reported[k] {
				reported[k] = true
				field := [...]string{Map: "cluster.map_slots", Reduce: "cluster.reduce_slots"}[k]
				f.neverRun(field, job, k, "is 0, and there are %d of them: give the cluster slots", tasks)
			}
		}
	}
}

// cores checks that a task of each stage fits into the executors.
func (f *faults) cores() {
	c := &f.p.Cluster
	largest := 0
	for _, n := range c.Nodes {
		largest = max(largest, n.Cores)
	}
	largest = cmp.Or(largest, c.Cores)
	for j := range f.p.Jobs {
		for k := range f.p.Jobs[j].Stages {
			stage := &f.p.Jobs[j].Stages[k]
			if need := max(1, stage.Cores); stage.Count() > 0 && need > min(largest, c.Cores) {
				f.neverRun("cluster.cores", &f.p.Jobs[j], k,
					"is %d, and one of them needs %d in one executor: give the cluster cores", min(largest, c.Cores), need)
				return
			}
		}
	}
}

// memory checks that a job's AM and one of its tasks fit together into the query's memory, and each into a node.
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
		for k := range job.NumStages() {
			need := job.TaskMB(k)
			switch {
			case job.Stages[k].Count() == 0:
				continue
			case most == 0:
				f.neverRun(setting, job, int(k), "is 0: give the cluster memory")
			case need+job.MasterMB > most:
				f.neverRun(setting, job, int(k), "is %dMB, and one of them with the job's AM needs %dMB", most,
					need+job.MasterMB)
			case node > 0 && max(need, job.MasterMB) > node:
				f.neverRun("cluster.nodes", job, int(k), "have at most %dMB each: a container of %dMB fits on none", node,
					max(need, job.MasterMB))
			default:
				continue
			}
			return
		}
	}
}

// length bounds the makespan from above: one stage after the other, each in rounds of its longest task.
func (f *faults) length() {
	o := &f.p.Overheads
	pauses := o.Launch.Seconds() + o.AMStart.Seconds() + o.Beat.Seconds() + o.Finish.Seconds() + o.Wave.Seconds() +
		o.Stagger.Seconds() +
		o.AMHold.Seconds() + o.Copy.Seconds() + o.Cold.Seconds()
	total := 0.0
	for j := range f.p.Jobs {
		total += pauses
		for k := range f.p.Jobs[j].NumStages() {
			p := &f.p.Jobs[j].Stages[k]
			perTask := f.p.Cluster.Setup.Seconds() + o.Handoff.Seconds() + o.SetupMin.Seconds() + o.SetupPer.Seconds()
			rounds := math.Ceil(float64(p.Count()) / float64(f.width(j, k)))
			total += rounds * (perTask + longest(p)/1000)
		}
	}
	if most := MaxLength.Hours() / 24; total/86400 > most {
		f.add(tooMany(whole("jobs"), "days of running time", math.Ceil(total/86400), most))
	}
}

// width returns the number of tasks of a stage that the cluster runs at once, at least 1.
func (f *faults) width(j int, k StageIndex) int {
	c, job := &f.p.Cluster, &f.p.Jobs[j]
	switch {
	case c.Policy == Executors:
		return max(1, c.Cores/max(1, job.Stages[k].Cores))
	case c.Policy == FIFO && k == Map:
		return max(1, c.MapSlots)
	case c.Policy == FIFO:
		return max(1, c.ReduceSlots)
	}
	return max(1, c.MemoryMB/cmp.Or(job.TaskMB(k), DefaultMB))
}

// longest bounds the milliseconds of a stage's longest task, as far as it is known.
func longest(p *Stage) float64 {
	ms := high(&p.Setup)
	for i := range p.Pipelines {
		ms += high(&p.Pipelines[i].Tuples) * high(&p.Pipelines[i].Alpha)
	}
	return max(ms, high(&p.Extent))
}

// high returns the largest known value, 0 if none is known.
func high(s *Series) float64 {
	most := 0.0
	if s.IsUniform() && s.Known() {
		most = s.At(0)
	}
	for _, v := range s.Values() {
		if v > most {
			most = v
		}
	}
	return most
}
