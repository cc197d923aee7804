// Package dag is the vocabulary of ParaTimer: the work and the cluster (Plan), the progress at an instant
// (Snapshot), and the observed snapshots (Run).
//
// The package does no I/O and reads no clock. It imports nothing of ours: everything else imports it. Units are
// fixed: an Instant is in milliseconds of the cluster's clock, a length of time is a time.Duration, sizes are
// tuples (float64), ratios lie in 0..1. Every exported field states its unit. Unknown is a value of its own:
// NoInstant for instants, NaN for floats. It is never 0 and never -1.
//
// An adapter that observes an engine makes a Plan as far as it is known and a [Snapshot] each time, and never
// changes them afterwards. Validate checks a plan. Estimators read a [Run], which [Run.Append] builds. Terms are
// those of the paper, with stages for its phases: a job has stages such as map and reduce ([Stage]), a stage has
// tasks, a task has attempts, an attempt processes pipelines of tuples.
//
// # Stability
//
// Names and meanings stay within a major version. Fields and constants may be added: use keyed literals
// (CONTRIBUTING.md).
package dag

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"time"
)

// A Plan defines the jobs to run and their cluster. Jobs are in plan order, which breaks ties.
type Plan struct {
	Name    string `plan:"name"`   // the workflow's name, e.g. the script's path
	Engine  string `plan:"engine"` // the name of the engine, for people: "Tez", "Spark"; "" is MapReduce
	Whole   Whole  // the engine's name for the plan if it is one job; zero: people see its jobs
	Cluster Cluster
	Driver  Driver `plan:"driver"` // how the jobs are submitted
	Jobs    []Job
	// Open means that work may come that was not announced: the application submits its jobs one after the other.
	Open bool
	// Overheads of the engine that launches the jobs; all zero for the paper's cluster.
	Overheads Overheads `plan:"overheads" title:"a mapping of pauses around jobs"`
	// Residuals of a profile are the errors of the ranges of the runs behind it, oldest run first.
	Residuals []Residual
	// InputSizes of a profile are the records of a mean map that read the query's own input, for each of the runs
	// behind it, oldest first; none if it comes from one run.
	InputSizes []float64
}

// A Whole is the engine's name for a query that it runs as one job: a DAG of Tez, a Spark application.
type Whole struct {
	Name        string // "DAG"
	Part, Parts string // names of one stage and of several: "vertex", "vertices"
}

// IsWhole reports whether the plan is one job that its engine runs as a whole: people see its stages, but no jobs.
func (p *Plan) IsWhole() bool { return p.Whole.Name != "" && len(p.Jobs) == 1 }

// JobName names a job in a sentence: "job scope-35"; "the DAG" if the plan is a Whole of that name.
func (p *Plan) JobName(job int) string {
	if p.IsWhole() {
		return "the " + p.Whole.Name
	}
	return "job " + p.Jobs[job].Node
}

// OfJob names the job of a task in a sentence: " of job scope-35"; "" if the plan is a Whole.
func (p *Plan) OfJob(job int) string {
	if p.IsWhole() {
		return ""
	}
	return " of job " + p.Jobs[job].Node
}

// TaskWords names a task for people: "map 16 of scope-35", "task 3 of scan of query"; "task 3 of Map 1" and "task 3 of
// stage 12 · Scan (orders)" if the plan is a Whole.
func (p *Plan) TaskWords(job int, k StageIndex, task int32) string {
	stage := p.StageName(job, k)
	switch {
	case p.IsWhole():
		if _, ok := numbered(stage); ok {
			stage = "s" + strings.TrimPrefix(stage, "S")
		}
		return fmt.Sprintf("task %d of %s", task, stage)
	case p.Jobs[job].IsMapReduce():
		return fmt.Sprintf("%s %d of %s", stage, task, p.Jobs[job].Node)
	}
	return fmt.Sprintf("task %d of %s of %s", task, stage, p.Jobs[job].Node)
}

// A Policy is the scheduler that the replay simulates.
type Policy uint8

// The policies.
const (
	FIFO      Policy = iota // map slots and reduce slots, Hadoop 0.20 as in the ParaTimer paper
	YARN                    // one pool of containers by memory
	Executors               // one pool of cores, as those of Spark's executors
)

// A Cluster is the resources and the scheduler that run the tasks.
type Cluster struct {
	Policy       Policy
	MapSlots     int           `plan:"map_slots"`          // FIFO: slots for map tasks
	ReduceSlots  int           `plan:"reduce_slots"`       // FIFO: slots for reduce tasks
	SlotsPerNode int           `plan:"slots_per_node"`     // FIFO: node of a slot = slot / SlotsPerNode; 0 counts as 1
	Setup        time.Duration `plan:"setup"`              // set-up of a task in its slot, before its first tuple
	MemoryMB     int           `plan:"memory,MB,optional"` // YARN: memory for containers, all nodes together
	QueueMB      int           `plan:"queue_memory,MB"`    // YARN: maximum for our queue; 0: MemoryMB
	Cores        int           `plan:"cores,optional"`     // Executors: cores for tasks, all executors together
	Elastic      Elastic       // Executors: requests for more executors while tasks wait
	Copies       Copies        // Executors: second attempts of slow tasks
	Nodes        []Node        `plan:"nodes,null" max:"100000"` // YARN: the nodes, Executors: the executors, if known
	Pools        []Pool        `plan:"pools,null" max:"10000"`  // Executors: the known pools of stages
	// Order decides which tasks go first if slots or containers are scarce, the first key before the second; nil:
	// BySubmit, as Hadoop's FIFO.
	Order    []OrderKey
	FailRate float64 `plan:"fail_rate" max:"1000"` // failed attempts per hour of task time, if given; 0: unknown
}

// A Node is a machine that runs containers, or an executor.
type Node struct {
	Name     string  `plan:"name,required"`
	MemoryMB int     `plan:"memory,MB"` // YARN: for containers
	Cores    int     `plan:"cores"`     // Executors: for tasks
	Slow     float64 `plan:"slow"`      // simulation: factor of its tasks' times; 0 counts as 1
}

// A Pool shares the cores with other pools, as Spark's FAIR scheduler does. A stage is in the pool that its Pool
// names.
type Pool struct {
	Name string `plan:"name,required"`
	// Weight is relative to other pools. 0: the pool gets only cores that no other pool can use.
	Weight   int `plan:"weight" default:"1"`
	MinShare int `plan:"min_share"` // cores that it gets before weights count
	// Fair means that its stages share its cores equally; else the earlier stage goes first.
	Fair bool `plan:"mode" words:"fifo,fair"`
}

// UsableMB returns the memory that our queue may use; 0 if unknown.
func (c *Cluster) UsableMB() int { return min(cmp.Or(c.QueueMB, c.MemoryMB), c.MemoryMB) }

// PoolOf returns the pool of a name. A pool that the cluster does not list has the weight 1.
func (c *Cluster) PoolOf(name string) Pool {
	for _, p := range c.Pools {
		if p.Name == name {
			return p
		}
	}
	return Pool{Name: name, Weight: 1}
}

// Overheads are the pauses around jobs that belong to no task. They are learned from runs.
type Overheads struct {
	Launch  time.Duration `plan:"launch"`   // a job's submission to the launch of its first task (AM start included)
	AMStart time.Duration `plan:"am_start"` // a job's submission to the start of its AM's container
	Boot    time.Duration `plan:"boot"`     // the start of a run's first JVM, the AM or an executor
	// between heartbeats of an AM to the scheduler: only then it gets containers and requests reduces
	Beat     time.Duration `plan:"beat"`
	Finish   time.Duration `plan:"finish"`    // a job's last task end to the job's end
	Wave     time.Duration `plan:"wave"`      // a wave's last job end to the submission of the next wave
	Stagger  time.Duration `plan:"stagger"`   // between submissions of jobs of one wave
	Handoff  time.Duration `plan:"handoff"`   // a container's release to its next use, beyond the AM's heartbeat
	Idle     time.Duration `plan:"idle"`      // wait of a free container for a task (AncestorsFirst); 0: to the end
	AMHold   time.Duration `plan:"am_hold"`   // a job's end to the release of its AM's container
	Report   time.Duration `plan:"report"`    // between reports of a running task's counters; 0: always up to date
	Abandon  time.Duration `plan:"abandon"`   // a node's loss to the AM giving up the attempts that ran on it
	Copy     time.Duration `plan:"copy"`      // the last map's end to the end of copy in a waiting reduce
	SetupMin time.Duration `plan:"setup_min"` // start-up of a single task on its node
	SetupPer time.Duration `plan:"setup_per"` // extra start-up for each task started at about the same time on the node
	Cold     time.Duration `plan:"cold"`      // extra start-up in the first batch of a run
}

// Each yields the overheads with their names in plan files.
func (o *Overheads) Each() iter.Seq2[string, *time.Duration] {
	return func(yield func(string, *time.Duration) bool) {
		v := reflect.ValueOf(o).Elem()
		for i := range v.NumField() {
			if !yield(v.Type().Field(i).Tag.Get("plan"), v.Field(i).Addr().Interface().(*time.Duration)) {
				return
			}
		}
	}
}

// A Job is the work of one master: a MapReduce job, a DAG of Tez. After are indices into Plan.Jobs.
type Job struct {
	Node    string `plan:"name,required"` // the name in the DAG, e.g. "scope-35" or "j1"; unique in the plan
	Name    string `plan:"title"`         // for people
	Feature string `plan:"feature"`       // the compiler's description, e.g. "HASH_JOIN"
	Alias   string `plan:"alias"`         // the script's aliases, e.g. "a,b"
	After   []int
	Stages  []Stage    // in an order in which they can run: a stage comes after those that it reads
	Rules   StageRules `plan:"rules"`
	// MasterMB is the memory of the container of the job's master (YARN); 0: unknown.
	MasterMB int
	// MapReduce are the settings of a MapReduce job; other jobs leave it zero.
	MapReduce MapReduceLimits
	// Priority counts if the cluster's Order has ByPriority: the higher one goes first.
	Priority int `plan:"priority" min:"-1000000" max:"1000000"`
	// Input names the job's inputs, as reported by the engine; a profile recognizes a job by it.
	Input []string `plan:"input,single,null"`
	// InputBytes is the size of the files of Input, as reported by their file system; 0: unknown. In a profile it
	// is that of the earlier run.
	InputBytes float64 `plan:"input_bytes" max:"1e18"`
}

// MapReduceLimits are the settings of a MapReduce job that its schedule depends on (YARN).
type MapReduceLimits struct {
	MapMB      int     `plan:"map_memory,MB"`               // container size of a map; 0: unknown
	ReduceMB   int     `plan:"reduce_memory,MB"`            // container size of a reduce; 0: unknown
	SlowStart  float64 `plan:"slow_start,optional" max:"1"` // ratio of maps done before reduces are requested
	RampUp     float64 `plan:"ramp_up,optional" max:"1"`    // ratio of the cluster for reduces while maps wait
	MaxMaps    int     `plan:"max_maps"`                    // maximum number that runs at once; 0: no limit
	MaxReduces int     `plan:"max_reduces"`                 // maximum number that runs at once; 0: no limit
}

// TaskMB returns the memory of a task of stage k, in MB; 0 if it is unknown.
func (j *Job) TaskMB(k StageIndex) int {
	switch {
	case !j.IsMapReduce():
		return j.Stages[k].MemoryMB
	case k == Map:
		return j.MapReduce.MapMB
	}
	return j.MapReduce.ReduceMB
}

// A Driver defines how a query's jobs are submitted. Under FIFO it is ignored: as in the paper, a job's tasks run
// as soon as the jobs before it have ended.
type Driver uint8

// The drivers.
const (
	Waves Driver = iota // a level of the graph when every level before it has ended: Pig (facts/hadoop.md C2)
	// a job when the jobs before it have ended: Hive with hive.exec.parallel, a DAG at once
	Eager
	Serial // one job after the other, in the graph's order
)

var driverNames = [...]string{Waves: "waves", Eager: "eager", Serial: "serial"}

func (d Driver) String() string { return NameOf(driverNames[:], int(d)) }

// MarshalText returns the driver's name.
func (d Driver) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a driver's name. Its error lists the names.
func (d *Driver) UnmarshalText(b []byte) error { return ParseName(d, driverNames[:], b, "driver") }

// Elastic defines how an application gets more executors while tasks wait, as Spark's dynamic allocation does. The
// zero value gets none.
type Elastic struct {
	Max  int // maximum cores of all executors together
	Each int // cores of one executor
	// Tasks wait for Backlog before the first executor is requested. After each further Sustain, twice as many are
	// requested.
	Backlog, Sustain time.Duration
	Start            time.Duration // an executor's request to its first task
}

// A Capacity is the cores of a requested executor that has not started yet.
type Capacity struct {
	At    Instant // when it is expected
	Cores int
}

// Copies define when a slow task is run a second time, as Spark's speculation does. The zero value copies none.
type Copies struct {
	Ratio float64 // share of a stage's tasks that must have succeeded before any is copied
	Times float64 // a task is copied after this many times their median time
}

// A Residual is the error of the range of an earlier run at one point of it. Those of many runs correct the next
// range.
type Residual struct {
	Run string `plan:"run"` // the run's workflow id; a run has one residual for each of several points
	// Progress is the estimated progress of the run at the time of the range, 0..1: the greater of elapsed /
	// (elapsed + raw median) and the share of its tasks that were done.
	Progress float64 `plan:"progress" max:"1"`
	// Score is the true remaining time less the range's median, in spreads of the range on that side: its 0.9
	// quantile less its median above, its median less its 0.1 quantile below. Negative: the run ended earlier than
	// the median. The range is the raw one, before any correction, so that scores of all runs mean the same.
	Score float64 `plan:"score" min:"-1000000" max:"1000000"`
}

// Bounds of residuals.
const (
	maxResiduals = 100_000
	MaxScore     = 1e6
	// MaxInputSizes bounds the runs of Plan.InputSizes.
	MaxInputSizes = 10_000
)

func (f *faults) inputSizes() {
	if !f.atMost(whole("input_sizes"), "sizes", len(f.p.InputSizes), MaxInputSizes) {
		return
	}
	for i, size := range f.p.InputSizes {
		f.number(whole(fmt.Sprintf("input_sizes[%d]", i)), size, 0, MaxTuples, "records")
	}
}

func (f *faults) residuals() {
	if !f.atMost(whole("residuals"), "residuals", len(f.p.Residuals), maxResiduals) {
		return
	}
	for i, r := range f.p.Residuals {
		f.number(whole(fmt.Sprintf("residuals[%d].progress", i)), r.Progress, 0, 1, "")
		f.number(whole(fmt.Sprintf("residuals[%d].score", i)), r.Score, -MaxScore, MaxScore, "")
	}
}
