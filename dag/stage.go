package dag

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Page is a page of the engine about a part of a workflow, such as job 3 of Spark. The zero Page is none.
type Page struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"` // "" if it has none
}

// A Stage is a set of a job's tasks with the same program: a MapReduce job's maps, its reduces, a vertex of Tez, a
// stage of Spark.
type Stage struct {
	Name string // the engine's name for it, unique in its job: "map", "Reducer 2"
	// Title is its name for people, which may differ between runs and get better during one; "" is Name.
	Title string `plan:"title"`
	URL   string // address of its page at the engine; "" if it has none
	Group Page   // the part of the application that submitted it: a job of Spark
	After []Edge // the stages that it reads
	// The resources of a task: memory (YARN) or cores (Executors); 0 is the engine's default, one core. A MapReduce
	// job's containers are in Job.MapReduce.
	MemoryMB   int `plan:"memory,MB"`
	Cores      int `plan:"cores"`
	MaxRunning int `plan:"max_running"` // maximum number of its tasks that run at once; 0: no limit
	// Pool names the pool of its tasks (Executors). The pools of a job share the cores as Cluster.Pools defines; ""
	// is a pool as well.
	Pool  string `plan:"pool"`
	Tasks int    // number of tasks; meaningless while !Known
	Known bool   // false: the number of tasks is unknown
	// Pipelines run one after the other in each task. A map has one, a reduce three: Copy, Sort, Work.
	Pipelines []Pipeline
	// Measurements of a profile beyond pipelines.
	Setup  Series `plan:"setup,ms"`  // milliseconds from a task's start to its first tuple
	Out    Series `plan:"out"`       // tuples written by a task
	Bytes  Series `plan:"bytes"`     // bytes read by a task (for a reduce: shuffled)
	Extent Series `plan:"extent,ms"` // milliseconds of a whole task, from the instant at which it could begin to its end
	// Pause is the time that the driver works alone before it submits the stage, from the end of all the stages
	// before it (Executors).
	Pause time.Duration `plan:"pause"`
	// Broadcast means that the driver builds a broadcast of its output (Executors).
	Broadcast bool
	// Groups are the key groups of a profile's reduce stage in the earlier run, and their times. nil: not known.
	Groups *Groups `plan:"groups" title:"a mapping that describes the key groups of the tasks"`
}

// An Edge means that a stage reads the output of another stage of its job.
type Edge struct {
	From StageIndex // earlier in the plan than the stage itself
	Kind EdgeKind
	// Ratio of From's tasks that must have succeeded before the stage's own are requested, if Kind is SlowStart.
	Ratio float64
	// Full is the ratio at which all of them may be requested: in between, a growing share of them may be
	// (AncestorsFirst only).
	Full float64
}

// StageRules define how a job's master requests containers, and which stage gets them first.
type StageRules uint8

// The rules.
const (
	// ReducesFirst is MapReduce's master: tasks that copy go before others, as far as slow start and ramp-up allow;
	// a container runs one task.
	ReducesFirst StageRules = iota
	// AncestorsFirst is Tez's: the stage nearest to the roots goes first. No stage gets containers while one that
	// it reads, directly or not, waits for containers. A free container runs the next task without a new launch.
	AncestorsFirst
)

// Early reports whether tasks get containers, in which they wait for their input and copy, before the stage that they
// read by an edge has ended.
func (r StageRules) Early(e Edge) bool {
	return e.Kind == SlowStart || e.Kind == Broadcast && r == AncestorsFirst
}

// An EdgeKind defines when a stage may start, depending on the progress of the stage that it reads.
type EdgeKind uint8

// The kinds of edges.
const (
	// Barrier: the stage starts when every task of the one before it has succeeded.
	Barrier EdgeKind = iota
	// SlowStart: it starts when a ratio of them has succeeded; its tasks occupy their containers and copy until the
	// last one has.
	SlowStart
	// Pipelined: it starts with the stage before it.
	Pipelined
	// OneToOne: a task starts when the task of the same index has succeeded.
	OneToOne
	// Broadcast: every task gets the whole output of the stage before it. It is a barrier that does not count in a
	// task's input size.
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

// MapReduceStages is the number of stages of a MapReduce job; Map and Reduce are their indices.
const MapReduceStages = 2

// MapReduceName returns the name of a stage of a MapReduce job.
func MapReduceName(k StageIndex) string { return [...]string{Map: "map", Reduce: "reduce"}[k] }

// MapReduce returns the stages of a MapReduce job: reduces copy the output of maps, and may have containers before
// the last map has ended.
func MapReduce(maps, reduces Stage) []Stage {
	maps.Name, reduces.Name = MapReduceName(Map), MapReduceName(Reduce)
	maps.After = nil
	reduces.After = []Edge{{From: Map, Kind: SlowStart}}
	return []Stage{maps, reduces}
}

// Bare returns the stages with only their names and edges.
func Bare(stages []Stage) []Stage {
	out := make([]Stage, len(stages))
	for k := range stages {
		out[k] = Stage{Name: stages[k].Name, After: stages[k].After}
	}
	return out
}

// NumStages returns the number of stages of the job, for loops over their indices.
func (j *Job) NumStages() StageIndex { return StageIndex(len(j.Stages)) } //nolint:gosec // Validate bounds them

// NumStages returns the number of stages of the job, for loops over their indices.
func (j *JobState) NumStages() StageIndex { return StageIndex(len(j.Stages)) } //nolint:gosec // Validate bounds them

// titleJoint separates the number of a stage in its title from what the stage does.
const titleJoint = " · "

// StageTitle returns the title of a stage with a number, such as "Stage 12 · Aggregate (orders)". what may be "".
func StageTitle(number int, what string) string {
	if what == "" {
		return fmt.Sprintf("Stage %d", number)
	}
	return fmt.Sprintf("Stage %d%s%s", number, titleJoint, what)
}

// numbered returns "stage 12" for a title with a number; ok is false for other names.
func numbered(title string) (short string, ok bool) {
	head, _, _ := strings.Cut(title, titleJoint)
	digits, ok := strings.CutPrefix(head, "Stage ")
	if _, err := strconv.Atoi(digits); !ok || err != nil {
		return "", false
	}
	return "stage " + digits, true
}

// IsNumbered reports whether a title begins with the number of its stage.
func IsNumbered(title string) bool {
	_, ok := numbered(title)
	return ok
}

// WithoutNumber returns a title without the number of its stage, which differs between runs.
func WithoutNumber(title string) string {
	if !IsNumbered(title) {
		return title
	}
	_, what, _ := strings.Cut(title, titleJoint)
	return what
}

// Label returns the name of a stage for people.
func (s *Stage) Label() string { return cmp.Or(s.Title, s.Name) }

// StageName returns the name of stage k of a job for people, "?" if the plan has no such stage.
func (p *Plan) StageName(job int, k StageIndex) string {
	if job < 0 || job >= len(p.Jobs) || k < 0 || int(k) >= len(p.Jobs[job].Stages) {
		return "?"
	}
	return p.Jobs[job].Stages[k].Label()
}

// Tasks returns the number of tasks of the job in all stages of known size.
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

// ReadsRecords reports whether the stage reads other stages by edges other than broadcasts.
func (s *Stage) ReadsRecords() bool {
	return slices.ContainsFunc(s.After, func(e Edge) bool { return e.Kind != Broadcast })
}

// SetStage replaces stage k but keeps its name and its inputs.
func (j *Job) SetStage(k StageIndex, s Stage) {
	s.Name, s.After = j.Stages[k].Name, j.Stages[k].After
	j.Stages[k] = s
}

// CloneJobs returns a copy of jobs with stages that may be changed. Data that a stage refers to is shared.
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
	Pipelines // maximum number of pipelines of a task
)

// A Pipeline processes Tuples tuples a task at Alpha milliseconds a tuple (the paper's N and alpha).
type Pipeline struct {
	Tuples Series `plan:"records"`
	Alpha  Series `plan:"cost,ms"`
}

// Count returns the number of tasks, 0 if it is unknown.
func (p *Stage) Count() int {
	if !p.Known {
		return 0
	}
	return p.Tasks
}

// A Pause is the reason why no task of the query runs.
type Pause uint8

// The pauses.
const (
	NoPause Pause = iota // tasks run
	Launch               // a job is submitted, no task of it has started
	Wave                 // all jobs of a wave are done, the next wave is not submitted
	Finish               // all tasks of a job are done, the job is not
)

// ByStage returns a zero value for each stage of a plan, by job and stage.
func ByStage[T any](p *Plan) [][]T {
	out := make([][]T, len(p.Jobs))
	for j := range out {
		out[j] = make([]T, len(p.Jobs[j].Stages))
	}
	return out
}

// ReusesContainers reports whether containers of a job run one task after the other, so that a container start is
// not part of each task.
func (p *Plan) ReusesContainers() bool {
	return slices.ContainsFunc(p.Jobs, func(j Job) bool { return j.Rules == AncestorsFirst })
}

// Order returns the jobs of a plan, each after its inputs; in plan order if the plan is no DAG.
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

// TaskMetrics are where the time of an ended attempt went, and what it read and wrote. Nothing that is estimated
// depends on them. CPU, GC, FetchWait, ShuffleWriteTime and Python are parts of Run, and may overlap. The numbers are
// small, because a run may have a million of them.
type TaskMetrics struct {
	Deserialize      Millis // before it ran: its code and its classes
	Run              Millis
	CPU              Millis
	GC               Millis // garbage collection of its JVM while it ran
	FetchWait        Millis // it waited for the output of other tasks
	ShuffleWriteTime Millis // writing its output for other tasks
	Python           Millis // a Python worker ran; 0 if unknown
	Result           Millis // after it ran: its result was serialized, and fetched by the driver

	InputBytes, InputRecords               float32 // from outside the query
	ShuffleReadBytes, ShuffleReadRecords   float32 // from other tasks
	ShuffleWriteBytes, ShuffleWriteRecords float32 // for other tasks
	SpilledBytes                           float32 // written to disk for lack of memory
}

// Millis is a length of time in milliseconds, of at most 24 days.
type Millis int32

// Duration returns the length.
func (m Millis) Duration() time.Duration { return time.Duration(m) * time.Millisecond }
