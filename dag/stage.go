package dag

import (
	"slices"
	"time"
)

// A Stage is the tasks of a job that do the same: a MapReduce job's maps, its reduces, a vertex of Tez, a stage of
// Spark.
type Stage struct {
	Name  string // what the engine calls it, unique in its job: "map", "Reducer 2"
	After []Edge // the stages that it reads
	// What a task takes of the cluster: memory (YARN) or cores (Executors); 0 is the engine's default, one core. A
	// MapReduce job's containers are in Job.MapReduce.
	MemoryMB, Cores int
	MaxRunning      int // how many of its tasks may run at once; 0: no limit
	// Pool names what its tasks are scheduled in (Executors): pools of one job share the cores as Cluster.Pools says,
	// "" is one as well.
	Pool  string
	Tasks int  // number of tasks; meaningless while !Known
	Known bool // false: nobody has said how many tasks there will be
	// Foreseen says that the engine has not submitted it, but will, as its plan of a query says now. Then there are as
	// many Tasks at most, and they, its name and what it reads may still change.
	Foreseen bool
	// Pipelines run one after the other in each task. A map has one, a reduce three: Copy, Sort, Work.
	Pipelines []Pipeline
	// What a profile knows beyond pipelines.
	Setup  Series // milliseconds from a task's start to its first tuple
	Out    Series // tuples written by a task
	Bytes  Series // bytes read by a task (for a reduce: shuffled)
	Extent Series // milliseconds of a whole task, from the instant at which it could begin to its end
	// Pause is how long the driver works alone before it submits the stage, from the end of all that the stage comes
	// after (Executors).
	Pause time.Duration
	// Groups of a profile's reduce phase: the key groups that the earlier run had, and what they took. nil: not known.
	Groups *Groups
}

// An Edge says that a stage reads what another stage of its job writes.
type Edge struct {
	From StageIndex // comes before the stage itself
	Kind EdgeKind
	// Ratio of From's tasks that must have succeeded before the stage's own are asked for, if Kind is SlowStart.
	Ratio float64
	// Full is the ratio from which on all of them may be asked for: in between it is a share that grows (AncestorsFirst
	// alone).
	Full float64
}

// StageRules say how a job's master asks for containers, and which stage gets them first.
type StageRules uint8

// The rules.
const (
	// ReducesFirst is MapReduce's master: tasks that copy go before others, as far as slow start and ramp-up let them;
	// a container runs one task.
	ReducesFirst StageRules = iota
	// AncestorsFirst is Tez's: the stage nearest to the roots goes first, and none while one that it reads, directly or
	// not, waits for containers. A container that is free runs the next task without being launched again.
	AncestorsFirst
)

// An EdgeKind says when a stage may start, as far as the stage that it reads is done.
type EdgeKind uint8

// The kinds of edges.
const (
	// Barrier lets the stage start when every task of the one before it has succeeded.
	Barrier EdgeKind = iota
	// SlowStart lets it start when a ratio of them has; its tasks hold their containers and copy until the last one
	// has.
	SlowStart
	// Pipelined lets it start with the stage before it.
	Pipelined
	// OneToOne lets a task start when the task of the same index has succeeded.
	OneToOne
	// Broadcast gives every task the whole output of the stage before it. It is a barrier whose volume does not grow a
	// task's input.
	Broadcast
)

// A StageIndex is the index of a stage in Job.Stages.
type StageIndex int16

// NoStage is the stage of a pause.
const NoStage StageIndex = -1

// The stages of a MapReduce job.
const (
	Map    StageIndex = iota
	Reduce            // copy, sort, reduce
)

// MapReduceStages is how many stages a MapReduce job has; Map and Reduce are their indices.
const MapReduceStages = 2

// MapReduceName returns the name of a stage of a MapReduce job.
func MapReduceName(k StageIndex) string { return [...]string{Map: "map", Reduce: "reduce"}[k] }

// MapReduce returns the stages of a MapReduce job: reduces copy what maps write, and may hold containers before the
// last map has ended.
func MapReduce(maps, reduces Stage) []Stage {
	maps.Name, reduces.Name = MapReduceName(Map), MapReduceName(Reduce)
	maps.After = nil
	reduces.After = []Edge{{From: Map, Kind: SlowStart}}
	return []Stage{maps, reduces}
}

// Bare returns the stages without what is known of their tasks.
func Bare(stages []Stage) []Stage {
	out := make([]Stage, len(stages))
	for k := range stages {
		out[k] = Stage{Name: stages[k].Name, After: stages[k].After}
	}
	return out
}

// NumStages returns how many stages the job has, for loops over their indices.
func (j *Job) NumStages() StageIndex { return StageIndex(len(j.Stages)) } //nolint:gosec // Validate bounds them

// NumStages returns how many stages the job has, for loops over their indices.
func (j *JobState) NumStages() StageIndex { return StageIndex(len(j.Stages)) } //nolint:gosec // Validate bounds them

// StageName returns the name of stage k of a job, "?" if the plan has no such stage.
func (p *Plan) StageName(job int, k StageIndex) string {
	if job < 0 || job >= len(p.Jobs) || k < 0 || int(k) >= len(p.Jobs[job].Stages) {
		return "?"
	}
	return p.Jobs[job].Stages[k].Name
}

// Tasks returns how many tasks the job has in all its stages, as far as that is known.
func (j *Job) Tasks() int {
	n := 0
	for k := range j.Stages {
		n += j.Stages[k].Count()
	}
	return n
}

// IsMapReduce reports whether the job has a MapReduce job's two stages, as MapReduce makes them.
func (j *Job) IsMapReduce() bool {
	return len(j.Stages) == MapReduceStages && j.Stages[Map].Name == MapReduceName(Map) &&
		j.Stages[Reduce].Name == MapReduceName(Reduce) && j.Stages[Reduce].Copies()
}

// OnlyMapReduce reports whether every job of the plan is a MapReduce job.
func (p *Plan) OnlyMapReduce() bool {
	return !slices.ContainsFunc(p.Jobs, func(j Job) bool { return !j.IsMapReduce() })
}

// Copies reports whether the stage's tasks start while the stages before them run, and copy: MapReduce's reduces.
func (s *Stage) Copies() bool {
	return slices.ContainsFunc(s.After, func(e Edge) bool { return e.Kind == SlowStart })
}

// ReadsRecords reports whether the stage reads what other ones write, beside broadcasts.
func (s *Stage) ReadsRecords() bool {
	return slices.ContainsFunc(s.After, func(e Edge) bool { return e.Kind != Broadcast })
}

// SetStage replaces what is known of the tasks of stage k. Its name and what it reads stay.
func (j *Job) SetStage(k StageIndex, s Stage) {
	s.Name, s.After = j.Stages[k].Name, j.Stages[k].After
	j.Stages[k] = s
}

// CloneJobs returns a copy of jobs whose stages may be changed. What a stage refers to is shared.
func CloneJobs(jobs []Job) []Job {
	out := slices.Clone(jobs)
	for j := range out {
		out[j].Stages = slices.Clone(out[j].Stages)
	}
	return out
}

// Pipelines of a reduce task, in order. A map task has only pipeline 0.
const (
	Copy = iota
	Sort
	Work
	Pipelines // how many a task has at most
)

// A Pipeline processes Tuples tuples a task at Alpha milliseconds a tuple (the paper's N and alpha).
type Pipeline struct {
	Tuples Series
	Alpha  Series
}

// Count returns the number of tasks, 0 where it is unknown.
func (p *Stage) Count() int {
	if !p.Known {
		return 0
	}
	return p.Tasks
}

// A Pause says why no task of the query runs.
type Pause uint8

// The pauses.
const (
	NoPause Pause = iota // tasks run
	Launch               // a job is submitted, no task of it has started
	Wave                 // all jobs of a wave are done, the next wave is not submitted
	Finish               // all tasks of a job are done, the job is not
)

// ReusesContainers reports whether containers of a job run one task after the other, so that starting one is no part of
// each task.
func (p *Plan) ReusesContainers() bool {
	return slices.ContainsFunc(p.Jobs, func(j Job) bool { return j.Rules == AncestorsFirst })
}

// Order is the jobs of a plan, each after those that it reads; as they stand if the plan is no DAG.
func (p *Plan) Order() []int {
	if graph, err := NewGraph(p); err == nil {
		return graph.Order()
	}
	out := make([]int, len(p.Jobs))
	for j := range out {
		out[j] = j
	}
	return out
}
