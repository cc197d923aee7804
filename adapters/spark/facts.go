package spark

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/dag"
)

// Bounds of an application. Anything beyond them is left out, and the snapshot has a warning.
const (
	mostJobs      = 20_000
	mostStages    = 20_000 // stages of a plan
	mostListed    = 200_000
	mostAttempts  = 1_000 // attempts of a stage
	mostTasks     = 2_000_000
	mostExecutors = 20_000
	// mostKept is how many jobs, or stages of the plan, of a driver are kept. A session may have any number.
	mostKept = 6000
)

// facts is the known state of an application: its jobs, stages and executions of SQL, its executors and its
// settings.
type facts struct {
	id, name, user, version string
	queue                   string // of YARN; "" unknown
	turn                    string // the attempt of an application on YARN; ""
	pages, historyPages     string // addresses of the pages of the application, and of the history server; "" unknown
	unit                    unit
	conf                    settings
	executions              map[int]*execution
	byJob                   map[int]*execution // the execution of a job
	jobs                    map[int]*job
	stages                  map[int]*stage
	jobList                 []*job   // by id
	stageList               []*stage // by id
	executors
	ending
	pools       map[string]dag.Pool // of a FAIR scheduler, by name
	began       dag.Instant
	clock       dateClock
	tasks       int         // known task attempts
	tooLarge    bool        // more than the bounds allow was left out
	listedBelow int         // all stages with a lower id are listed
	round       int         // number of the source's poll
	inLog       bool        // the event log is the only source
	kept        int         // mostKept; less in tests
	first       dag.Instant // submission of the first job of the unit, if that job was forgotten
}

// NewApp returns an App without observations. id is the application's, that of one of its units, or "".
func NewApp(id string) *App {
	id, of := parseID(id)
	f := &facts{
		id: id, unit: of, conf: settings{}, executions: map[int]*execution{}, byJob: map[int]*execution{},
		jobs:   map[int]*job{},
		stages: map[int]*stage{}, executors: executors{byID: map[string]int{}}, pools: map[string]dag.Pool{},
		kept: mostKept, first: dag.NoInstant, began: dag.NoInstant,
		ending: ending{ended: dag.NoInstant, lastSeen: dag.NoInstant},
		clock:  dateClock{reported: dag.NoInstant, newest: dag.NoInstant, checked: dag.NoInstant, before: dag.NoInstant},
	}
	return &App{
		facts: f, repairer: &repairer{facts: f},
		planner: planner{facts: f, names: map[string]int{}, shown: map[*stage]string{}, base: -1},
	}
}

// A job is a job of Spark.
type job struct {
	id                   int
	group, description   string
	submitted, completed dag.Instant
	stages               []*stage // by id
	status, why          string
	broadcast            bool     // the driver builds a broadcast of its output
	lastListed           int      // the poll in which it was last listed
	settled              bool     // the end of the job and of its stages is known
	pageTries            [2]int   // requests for its page at the driver, and at the history server
	planned              bool     // the plan of its execution of SQL was requested
	before               []*stage // once it has ended: the last stages of the jobs before it
}

func (j *job) hasEnded() bool { return j.status == "SUCCEEDED" || j.status == "FAILED" }

// last returns the job's last stage, which has the job's results; nil if the job has no stage.
func (j *job) last() *stage { return lastOf(j.stages) }

// A stage is a stage of Spark, with all its attempts.
type stage struct {
	id         int
	name       string
	rdds       []int  // ascending
	shuffle    string // its RDDs as text: stages with the same RDDs write the same shuffle
	tasks      int
	status     string // of its newest attempt
	writes     bool   // its tasks have written a shuffle
	parents    []int  // nil unknown
	jobs       []*job
	tries      []*try   // by attempt
	lastListed int      // the poll in which it was last listed
	planPlace  int      // its place in the plan, from 1; 0 if it has none
	key        string   // its name in the plan
	scopes     []string // of its RDDs, in their order: operators of SQL, or methods of RDDs
	isSQL      bool     // an execution of SQL submitted it, by its call stack
	pool       string   // "" before it is submitted
	fresh      []*task  // without a core yet
	table      table
}

// done reports whether a stage has succeeded.
func (s *stage) done() bool { return s.status == "COMPLETE" && len(s.tries) > 0 }

// ran reports whether a stage has been submitted.
func (s *stage) ran() bool { return len(s.tries) > 0 }

// listed reports whether a response had more of a stage than its id.
func (s *stage) listed() bool { return s != nil && (s.status != "" || s.tasks > 0) }

// newest returns the newest attempt of a stage, nil before the first.
func (s *stage) newest() *try { return lastOf(s.tries) }

// lastOf returns the last item of a list, nil if it is empty.
func lastOf[T any](list []*T) *T {
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// tryOf returns an attempt of a stage; one that is not kept if the number is out of range.
func (f *facts) tryOf(stage, attempt int) *try {
	if attempt < 0 || attempt >= mostAttempts {
		return f.tryOf(-1, 0)
	}
	s := f.stageAt(stage)
	for len(s.tries) <= attempt {
		s.tries = append(s.tries, &try{
			stage: s, number: len(s.tries), progress: progress{submitted: dag.NoInstant, completed: dag.NoInstant},
		})
	}
	return s.tries[attempt]
}

// stageAt returns a stage. If the id is invalid or there are too many stages, it returns one that no snapshot has, so
// that callers need no special case.
func (f *facts) stageAt(id int) *stage {
	if s := f.stages[id]; s != nil {
		return s
	}
	s := &stage{id: id, table: table{indices: map[int32]int32{}, filled: map[int32]*task{}}}
	if f.tooLarge = f.tooLarge || len(f.stages) >= mostListed; id >= 0 && len(f.stages) < mostListed {
		f.stages[id], f.stageList = s, insert(f.stageList, s, byStage)
	}
	return s
}

// addJob adds a job; it returns false if there are too many.
func (f *facts) addJob(j *job) bool {
	if len(f.jobs) >= mostJobs {
		f.tooLarge = true
		return false
	}
	f.jobs[j.id], f.jobList = j, insert(f.jobList, j, func(x, y *job) int { return x.id - y.id })
	return true
}

// insert inserts an item into a sorted list that does not contain it.
func insert[T any](list []T, x T, by func(x, y T) int) []T {
	at, _ := slices.BinarySearchFunc(list, x, by)
	return slices.Insert(list, at, x)
}

func byStage(x, y *stage) int { return x.id - y.id }

// takeJob sets the description and the progress of a job.
func (f *facts) takeJob(w *wireJob) {
	id := idOf(w.JobID)
	j := f.jobs[id]
	if j == nil {
		if j = (&job{id: id}); id < 0 || !f.addJob(j) {
			return
		}
	}
	j.lastListed, j.group = f.round, dag.Clean(string(w.JobGroup))
	j.description, j.status = dag.Clean(string(w.Description)), string(w.Status)
	j.submitted, j.completed, j.broadcast = w.SubmissionTime.At(), w.CompletionTime.At(), w.broadcasts()
	j.stages = j.stages[:0]
	for _, n := range w.StageIDs {
		if s := f.stageAt(n.ID()); f.stages[s.id] == s {
			j.stages = append(j.stages, s)
			if !slices.Contains(s.jobs, j) {
				s.jobs = append(s.jobs, j)
			}
		}
	}
	slices.SortFunc(j.stages, byStage)
}

// describe sets what does not change from attempt to attempt of a stage.
func (f *facts) describe(w *stageRow) *stage {
	s := f.stageAt(idOf(w.ID))
	if s.name = dag.Clean(string(w.Name)); len(s.rdds) == 0 {
		s.rdds = idsOf(w.RDDs)
		s.shuffle = fmt.Sprint(s.rdds)
	}
	s.isSQL = s.isSQL || bool(w.Details)
	if w.Try.ID() <= 0 && w.Tasks != nil && *w.Tasks > 0 {
		s.tasks = w.Tasks.Count(mostTasks + 1) // keep a count above the bound above it
	}
	return s
}

// takeStage sets the description and the progress of a stage.
func (f *facts) takeStage(w *stageRow) *stage {
	s := f.describe(w)
	status, n := string(w.Status), w.Try.ID()
	if n >= len(s.tries)-1 {
		s.status = status
	}
	if status == "PENDING" || status == "SKIPPED" {
		return s
	}
	s.pool = dag.Clean(string(w.Pool))
	t := f.tryOf(s.id, n)
	t.tasks, t.complete, t.status = 0, w.Complete.Count(mostTasks), status
	if w.Tasks != nil {
		t.tasks = w.Tasks.Count(mostTasks)
	}
	t.submitted, t.completed = w.Submitted.At(), w.Completed.At()
	if t.failure, t.push = cause(string(w.Failure)), w.Push; w.RunTime >= 0 {
		t.runMS = float64(w.RunTime)
	}
	s.writes = s.writes || w.Written > 0
	return s
}

// lastJob returns the highest id of a known job, or of a job that an execution of SQL names; -1 if there is none.
func (f *facts) lastJob() int {
	last := -1
	if j := lastOf(f.jobList); j != nil {
		last = max(last, j.id)
	}
	if x := f.execution(); x != nil {
		for id := range x.jobs {
			last = max(last, id)
		}
	}
	return last
}

// running returns the unit's running jobs.
func (f *facts) running() []*job {
	return input.Only(f.unitJobs(), func(j *job) bool { return !j.hasEnded() })
}

// firstOf returns the earliest submission among some jobs, or NoInstant if none is known.
func firstOf(jobs []*job) dag.Instant {
	first := dag.NoInstant
	for _, j := range jobs {
		first = earliest(first, j.submitted)
	}
	return first
}

// submitted returns when the first job of the unit was submitted.
func (f *facts) submitted() dag.Instant {
	return dag.FirstKnown(f.first, firstOf(f.unitJobs()))
}

// edgesKnown reports whether the parents of all stages of a job are known.
func (j *job) edgesKnown() bool {
	return len(j.stages) < 2 || !slices.ContainsFunc(j.stages, func(s *stage) bool { return s.parents == nil })
}

func sortedKeys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

// settings has the properties of an application.
type settings map[string]string

// on reports whether a setting is true.
func (s settings) on(key string) bool { return strings.EqualFold(s[key], "true") }

// fair reports whether the scheduler shares the cores between pools.
func (s settings) fair() bool { return strings.EqualFold(s["spark.scheduler.mode"], "FAIR") }

// number returns the value of a numeric setting, or -1 if it is not set.
func (s settings) number(key string) int { return idIn(s[key]) }

// coresPerTask returns spark.task.cpus.
func (s settings) coresPerTask() int { return max(1, s.number("spark.task.cpus")) }

// retained returns how many objects of a kind a driver keeps. usual is Spark's default.
func (s settings) retained(setting string, usual int) int {
	if n := s.number("spark." + setting); n > 0 {
		return n
	}
	return usual
}

// backlogTimeout returns how long tasks wait before the driver requests executors. kind is "" for the first request
// and "sustained" for later ones.
func (s settings) backlogTimeout(kind string) time.Duration {
	first := span(s[dynamic+"schedulerBacklogTimeout"], usualBacklog)
	if kind == "" {
		return first
	}
	return span(s[dynamic+"sustainedSchedulerBacklogTimeout"], first)
}

// span parses a duration of Spark's settings, in seconds if it has no unit. It returns usual for an invalid value.
func span(s string, usual time.Duration) time.Duration {
	s = strings.Replace(strings.ToLower(strings.TrimSpace(s)), "min", "m", 1)
	if strings.TrimRight(s, "0123456789") == "" {
		s += "s"
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > dag.MaxLength {
		return usual
	}
	return d
}
