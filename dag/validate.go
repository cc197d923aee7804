package dag

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Bounds of a plan. They prevent overflow of every sum of a replay in int64 milliseconds and time.Duration.
const (
	MaxTasks  = 10_000_000 // of all jobs together
	MaxSlots  = 10_000_000
	MaxMemory = 1 << 40 // megabytes
	DefaultMB = 1024    // of a container of unknown size: MapReduce's default for tasks
	MaxTuples = 1e15    // of a task; float64 counts exactly up to 9e15
	MaxLength = 100 * 365 * 24 * time.Hour
	// MaxInputBytes bounds the size of the files that a job reads.
	MaxInputBytes = 1e18
	// MaxFailRate is in failures an hour of task time.
	MaxFailRate = 1000
)

// Validate returns the faults of a plan, nil if there are none. All faults are joined, in a fixed order: cluster,
// jobs in plan order, cycles, capacity. Each is a CycleError or a PlanError, except the one that there are no jobs.
// Unknown counts and costs are no fault.
func Validate(p *Plan) error {
	f := faults{p: p}
	if f.check(); len(f.list) == 0 {
		f.capacity()
		f.length()
	}
	return f.join()
}

// ValidateProfile is Validate for a plan that only gives costs: its cluster may lack slots and memory.
func ValidateProfile(p *Plan) error {
	f := faults{p: p}
	f.check()
	return f.join()
}

// maxFaults bounds the number of reported faults of a broken file.
const maxFaults = 50

type faults struct {
	p    *Plan
	list []error
	more int
}

func (f *faults) add(err error) {
	if len(f.list) >= maxFaults {
		f.more++
		return
	}
	f.list = append(f.list, err)
}

func (f *faults) join() error {
	if f.more > 0 {
		f.list = append(f.list, fmt.Errorf("dag: and %d more faults", f.more))
	}
	return errors.Join(f.list...)
}

// number reports whether a number is from low to high.
func (f *faults) number(at Place, v, low, high float64, unit string) bool {
	ok := v >= low && v <= high // so that NaN is a fault
	if !ok {
		f.add(faultAt(at, " is %v%s: it must lie between %v and %v%s", v, unit, low, high, unit))
	}
	return ok
}

func (f *faults) duration(at Place, d time.Duration) bool {
	return f.number(at, d.Seconds(), 0, MaxLength.Seconds(), "s")
}

// atMost reports whether there are not too many of something.
func (f *faults) atMost(at Place, what string, have, most int) bool {
	if have > most {
		f.add(tooMany(at, what, float64(have), float64(most)))
	}
	return have <= most
}

func (f *faults) shape(at Place, format string, args ...any) {
	f.add(faultAt(at, ": "+format, args...))
}

// unique checks that item i has a name that none of the items before it has.
func (f *faults) unique(at Place, names map[string]int, name string, i int) {
	if first, ok := names[name]; ok {
		f.add(faultAt(at, ": the name %q is taken by number %d already: names must be unique", name, first+1))
	} else {
		names[name] = i
	}
}

func (f *faults) check() {
	if len(f.p.Jobs) == 0 {
		f.add(errNoJobs)
	}
	if err := tooLarge(f.p); err != nil {
		f.add(err)
		return
	}
	f.cluster()
	for name, d := range f.p.Overheads.Each() {
		f.duration(whole("overheads."+name), *d)
	}
	f.residuals()
	f.inputSizes()
	names, tasks := make(map[string]int, len(f.p.Jobs)), 0
	for j := range f.p.Jobs {
		f.job(j, names)
		for k := range f.p.Jobs[j].Stages {
			tasks += min(f.p.Jobs[j].Stages[k].Count(), MaxTasks+1)
		}
	}
	f.atMost(whole("jobs"), "tasks", tasks, MaxTasks)
	if _, err := NewGraph(f.p); err != nil {
		for _, err := range cycles(f.p) {
			f.add(err)
		}
	}
}

func (f *faults) cluster() {
	c := &f.p.Cluster
	if c.Policy > Executors {
		f.shape(whole("cluster.policy"), "there is no policy %v", c.Policy)
	}
	f.order()
	f.number(whole("cluster.map_slots"), float64(c.MapSlots), 0, MaxSlots, "")
	f.number(whole("cluster.reduce_slots"), float64(c.ReduceSlots), 0, MaxSlots, "")
	f.number(whole("cluster.slots_per_node"), float64(c.SlotsPerNode), 0, MaxSlots, "")
	f.duration(whole("cluster.setup"), c.Setup)
	f.number(whole("cluster.memory"), float64(c.MemoryMB), 0, MaxMemory, "MB")
	f.number(whole("cluster.cores"), float64(c.Cores), 0, MaxSlots, "")
	f.number(whole("cluster.queue_memory"), float64(c.QueueMB), 0, MaxMemory, "MB")
	f.number(whole("cluster.fail_rate"), c.FailRate, 0, MaxFailRate, " an hour")
	names := make(map[string]int, len(c.Nodes))
	for i, n := range c.Nodes {
		at := func(field string) Place { return whole("cluster.nodes[" + fmt.Sprint(i) + "]." + field) }
		f.unique(at("name"), names, n.Name, i)
		f.number(at("memory"), float64(n.MemoryMB), 0, MaxMemory, "MB")
		f.number(at("cores"), float64(n.Cores), 0, MaxSlots, "")
		f.number(at("slow"), n.Slow, 0, 1e6, "")
	}
	f.pools()
}

func (f *faults) pools() {
	names := make(map[string]int, len(f.p.Cluster.Pools))
	for i, p := range f.p.Cluster.Pools {
		at := func(field string) Place { return whole("cluster.pools[" + fmt.Sprint(i) + "]." + field) }
		f.unique(at("name"), names, p.Name, i)
		f.number(at("weight"), float64(p.Weight), 0, MaxSlots, "")
		f.number(at("min_share"), float64(p.MinShare), 0, MaxSlots, "")
	}
}

func (f *faults) job(j int, names map[string]int) {
	job := &f.p.Jobs[j]
	at := func(field string) Place { return ofJob(f.p, j, field, -1) }
	if job.Node == "" {
		f.shape(at("name"), "job number %d has no name", j+1)
	} else {
		f.unique(at("name"), names, job.Node, j)
	}
	for i, a := range job.After {
		if a < 0 || a >= len(f.p.Jobs) {
			f.add(noJob(ofJob(f.p, j, "after", i), a))
		}
	}
	f.number(at("priority"), float64(job.Priority), -maxPriority, maxPriority, "")
	f.number(at("input_bytes"), job.InputBytes, 0, MaxInputBytes, "bytes")
	l := &job.MapReduce
	f.number(at("limits.am_memory"), float64(job.MasterMB), 0, MaxMemory, "MB")
	f.number(at("limits.map_memory"), float64(l.MapMB), 0, MaxMemory, "MB")
	f.number(at("limits.reduce_memory"), float64(l.ReduceMB), 0, MaxMemory, "MB")
	f.number(at("limits.slow_start"), l.SlowStart, 0, 1, "")
	f.number(at("limits.ramp_up"), l.RampUp, 0, 1, "")
	f.number(at("limits.max_maps"), float64(l.MaxMaps), 0, math.MaxInt32, "")
	f.number(at("limits.max_reduces"), float64(l.MaxReduces), 0, math.MaxInt32, "")
	for k := range f.p.Jobs[j].NumStages() {
		f.stage(j, k)
	}
}

// fieldOf returns the field of plan files that contains a stage.
func fieldOf(job *Job, k StageIndex) string {
	if job.IsMapReduce() {
		return job.Stages[k].Name
	}
	return fmt.Sprintf("stages[%d]", k)
}

// pipelineNames are the names in plan files of the pipelines of a stage that has several.
var pipelineNames = [...]string{Copy: ".copy", Sort: ".sort", Work: ".reduce"}

func (f *faults) stage(j int, k StageIndex) {
	f.edges(j, k)
	f.groups(j, k)
	p := &f.p.Jobs[j].Stages[k]
	name := fieldOf(&f.p.Jobs[j], k)
	if p.Known {
		f.number(ofJob(f.p, j, name+".tasks", -1), float64(p.Tasks), 0, MaxTasks, "")
	}
	switch n := len(p.Pipelines); {
	case n > 1 && !p.Copies():
		f.shape(ofJob(f.p, j, name, -1), "a %s task has one pipeline, this one has %d", p.Name, n)
		return
	case n != 0 && n != Pipelines && p.Copies():
		f.shape(ofJob(f.p, j, name, -1), "a %s task has three pipelines, copy, sort and reduce; this one has %d", p.Name, n)
		return
	}
	f.number(ofJob(f.p, j, name+".memory", -1), float64(p.MemoryMB), 0, MaxMemory, "MB")
	f.number(ofJob(f.p, j, name+".cores", -1), float64(p.Cores), 0, MaxSlots, "")
	f.number(ofJob(f.p, j, name+".max_running", -1), float64(p.MaxRunning), 0, math.MaxInt32, "")
	most := float64(MaxLength.Milliseconds())
	for i := range p.Pipelines {
		at := name
		if p.Copies() {
			at += pipelineNames[i]
		}
		f.series(j, p, at+".records", &p.Pipelines[i].Tuples, MaxTuples, "")
		f.series(j, p, at+".cost", &p.Pipelines[i].Alpha, most, "ms")
	}
	f.series(j, p, name+".setup", &p.Setup, most, "ms")
	f.series(j, p, name+".out", &p.Out, MaxTuples, "")
	f.series(j, p, name+".bytes", &p.Bytes, 1e18, "")
	f.series(j, p, name+".extent", &p.Extent, most, "ms")
}

// series reports only the first fault of a series: a million bad values are one mistake.
func (f *faults) series(j int, p *Stage, field string, s *Series, high float64, unit string) {
	if s.IsUniform() {
		if s.Known() {
			f.number(ofJob(f.p, j, field, -1), s.At(0), 0, high, unit)
		}
		return
	}
	v := s.Values()
	if p.Known && len(v) != p.Tasks {
		f.shape(ofJob(f.p, j, field, -1), "%d values for %d tasks: give one for each task, or one for all", len(v), p.Tasks)
		return
	}
	for i, x := range v {
		if !math.IsNaN(x) && !(x >= 0 && x <= high) {
			f.number(ofJob(f.p, j, field, i), x, 0, high, unit)
			return
		}
	}
}

// edges checks that the stage reads stages before it, by existing kinds of edges.
func (f *faults) edges(j int, k StageIndex) {
	job := &f.p.Jobs[j]
	for i, e := range job.Stages[k].After {
		at := ofJob(f.p, j, fieldOf(job, k)+".after", i)
		switch from := e.From; {
		case from < 0 || from >= k:
			f.shape(at, "is stage number %d, which does not come before the stage itself: list a stage after those that it reads",
				from)
		case e.Kind > Broadcast:
			f.shape(at, "there is no kind of edge %v", e.Kind)
		case e.Kind == OneToOne && job.Stages[from].Known && job.Stages[k].Known &&
			job.Stages[from].Tasks != job.Stages[k].Tasks:
			f.shape(at, "%d tasks read %d tasks one to one: give both stages as many", job.Stages[k].Tasks,
				job.Stages[from].Tasks)
		}
		f.number(at, e.Ratio, 0, 1, "")
	}
}
