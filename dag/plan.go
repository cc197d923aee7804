package dag

import (
	"fmt"
	"time"
)

// A Plan says what is to run and on what. Jobs are in plan order, which breaks ties.
type Plan struct {
	Name    string // the workflow's name, e.g. the script's path
	Engine  string // what runs it, for people: "Tez", "Spark"; "" is MapReduce
	Whole   Whole  // what the engine calls the plan if it is one job; zero: people know its jobs
	Cluster Cluster
	Driver  Driver // who submits the jobs
	Jobs    []Job
	// Open says that work may come which nobody has announced: an application that submits its jobs one after the
	// other.
	Open bool
	// Overheads of the engine that launches the jobs; all zero for the paper's cluster.
	Overheads Overheads
	// Residuals of a profile say how wrong the ranges of the runs were that it is learned from, oldest run first.
	Residuals []Residual
	// InputSizes of a profile are the records of a mean map that read the query's own input, in each of the runs that
	// it is learned from, oldest first; none where it is learned from one.
	InputSizes []float64
}

// A Whole is what an engine calls a query that it is given whole: a DAG of Tez, an application of Spark.
type Whole struct {
	Name        string // "DAG"
	Part, Parts string // what one stage and many are called: "vertex", "vertices"
}

// IsWhole reports whether the plan is one job that its engine was given whole: its stages are all that people know, no
// job.
func (p *Plan) IsWhole() bool { return p.Whole.Name != "" && len(p.Jobs) == 1 }

// JobName names a job in a sentence: "job scope-35"; "the DAG" if the plan is a whole of that name.
func (p *Plan) JobName(job int) string {
	if p.IsWhole() {
		return "the " + p.Whole.Name
	}
	return "job " + p.Jobs[job].Node
}

// OfJob says in a sentence which job a task is of: " of job scope-35"; "" if the plan is a whole.
func (p *Plan) OfJob(job int) string {
	if p.IsWhole() {
		return ""
	}
	return " of job " + p.Jobs[job].Node
}

// TaskWords names a task for people: "map 16 of scope-35", "task 3 of scan of query", "task 3 of Map 1" if the plan is
// a whole.
func (p *Plan) TaskWords(job int, k StageIndex, task int32) string {
	stage := p.StageName(job, k)
	switch {
	case p.IsWhole():
		return fmt.Sprintf("task %d of %s", task, stage)
	case p.Jobs[job].IsMapReduce():
		return fmt.Sprintf("%s %d of %s", stage, task, p.Jobs[job].Node)
	}
	return fmt.Sprintf("task %d of %s of %s", task, stage, p.Jobs[job].Node)
}

// A Policy names the scheduler that the replay imitates.
type Policy uint8

// The policies.
const (
	FIFO      Policy = iota // map slots and reduce slots, Hadoop 0.20 as in the ParaTimer paper
	YARN                    // one pool of containers by memory
	Executors               // one pool of cores, as those of Spark's executors
)

// A Cluster is what the tasks run on.
type Cluster struct {
	Policy       Policy
	MapSlots     int           // FIFO: slots for map tasks
	ReduceSlots  int           // FIFO: slots for reduce tasks
	SlotsPerNode int           // FIFO: node of a slot = slot / SlotsPerNode; 0 counts as 1
	Setup        time.Duration // set-up of each task, inside its slot, before its first tuple
	MemoryMB     int           // YARN: memory for containers, all nodes together
	QueueMB      int           // YARN: what our queue may use at most; 0: MemoryMB
	Cores        int           // Executors: cores for tasks, all executors together
	Elastic      Elastic       // Executors: how more of them come while tasks wait
	Copies       Copies        // Executors: when slow tasks are run a second time
	Nodes        []Node        // YARN: the nodes, Executors: the executors, where known
	Pools        []Pool        // Executors: what is known of the pools of stages
	// Order is whose tasks go first where slots or containers are scarce, the first key before the second; nil:
	// BySubmit, as Hadoop's FIFO.
	Order    []OrderKey
	FailRate float64 // attempts that fail in an hour of a task, where given; 0: unknown
}

// A Node is a machine that runs containers, or an executor.
type Node struct {
	Name     string
	MemoryMB int     // YARN: for containers
	Cores    int     // Executors: for tasks
	Slow     float64 // simulation: its tasks take this many times as long; 0 counts as 1
}

// A Pool shares the cores with other pools, as Spark's FAIR scheduler has it. The stages whose Pool is its name are in
// it.
type Pool struct {
	Name     string
	Weight   int  // its share of the cores in relation to other pools; 0: what no other pool can use
	MinShare int  // how many cores it gets before weights count
	Fair     bool // its stages share its cores alike; else the earlier stage goes first
}

// PoolOf returns the pool of a name. One that the cluster does not list has the weight 1.
func (c *Cluster) PoolOf(name string) Pool {
	for _, p := range c.Pools {
		if p.Name == name {
			return p
		}
	}
	return Pool{Name: name, Weight: 1}
}

// Overheads are the pauses around jobs that are nobody's task. Package observed learns them from runs.
type Overheads struct {
	Launch  time.Duration // a job's submission to the launch of its first task (AM start included)
	AMStart time.Duration // a job's submission to its AM holding a container
	Boot    time.Duration // the start of a run's first JVM, its AM or an executor: how fast JVMs start here
	// between heartbeats of an AM to the scheduler: containers are picked up, and reduces asked for, only then
	Beat     time.Duration
	Finish   time.Duration // a job's last task end to the job's end
	Wave     time.Duration // a wave's last job end to the submission of the next wave
	Stagger  time.Duration // between submissions of jobs of one wave
	Handoff  time.Duration // a container's release to its next use, beyond the wait for the AM's heartbeat
	Idle     time.Duration // how long a free container is kept for the next task (AncestorsFirst); 0: to the end
	AMHold   time.Duration // a job's end to the release of its AM's container
	Report   time.Duration // between two reports of a running task's counters; 0: they are always up to date
	Abandon  time.Duration // a node's loss to the AM giving up the attempts that ran on it
	Copy     time.Duration // the last map's end to the end of copy in a waiting reduce
	SetupMin time.Duration // a task's start-up alone on its node
	SetupPer time.Duration // more start-up for each task started at about the same time on the node
	Cold     time.Duration // more start-up in the first batch of a run
}

// A Job is what one master runs: a MapReduce job, a DAG of Tez. After holds indices into Plan.Jobs.
type Job struct {
	Node    string // the name in the DAG, e.g. "scope-35" or "j1"; unique in the plan
	Name    string // for people
	Feature string // what the compiler says it does, e.g. "HASH_JOIN"
	Alias   string // the script's aliases, e.g. "a,b"
	After   []int
	Stages  []Stage // in the order in which they can run: a stage comes after those that it reads
	Rules   StageRules
	// MasterMB is what the container of the job's master takes (YARN); 0: unknown.
	MasterMB int
	// MapReduce holds what only a MapReduce job has; other jobs leave it zero.
	MapReduce MapReduceLimits
	// Priority counts where the cluster's Order has ByPriority: the higher one goes first.
	Priority int
	// Input names what the job reads, as the engine tells it; used to recognise a job in a profile.
	Input []string
	// InputBytes is how many bytes the files of Input have, as their file system says; 0: unknown. In a profile it is
	// the earlier run's.
	InputBytes float64
}

// MapReduceLimits are the settings of a MapReduce job that its schedule depends on (YARN).
type MapReduceLimits struct {
	MapMB, ReduceMB     int     // container sizes of a task; 0: unknown
	SlowStart           float64 // ratio of maps done before reduces are asked for
	RampUp              float64 // ratio of the cluster that reduces may take while maps wait
	MaxMaps, MaxReduces int     // how many may run at once; 0: no limit
}

// TaskMB returns the memory that a task of stage k takes, in MB; 0 if it is unknown.
func (j *Job) TaskMB(k StageIndex) int {
	switch {
	case !j.IsMapReduce():
		return j.Stages[k].MemoryMB
	case k == Map:
		return j.MapReduce.MapMB
	}
	return j.MapReduce.ReduceMB
}

// A Driver is who submits a query's jobs, and when. Under FIFO it is not asked: a job's tasks run as soon as the jobs
// have ended that it comes after, as in the paper.
type Driver uint8

// The drivers.
const (
	Waves Driver = iota // a level of the graph when every level before it has ended: Pig (docs/facts/hadoop.md C2)
	// a job when the jobs that it comes after have ended: Hive with hive.exec.parallel, a DAG at once
	Eager
	Serial // one job after the other, in the graph's order
)

var driverNames = [...]string{Waves: "waves", Eager: "eager", Serial: "serial"}

func (d Driver) String() string { return name(driverNames[:], int(d)) }

// MarshalText returns the driver's name.
func (d Driver) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText takes a driver's name. Its error lists the names.
func (d *Driver) UnmarshalText(b []byte) error { return parse(d, driverNames[:], b, "driver") }
