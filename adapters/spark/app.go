package spark

import (
	"maps"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// Bounds of what an application may tell. What is beyond them is left out, and the snapshot says so.
const (
	mostJobs      = 20_000
	mostStages    = 20_000 // stages that compute something, of a plan
	mostListed    = 200_000
	mostAttempts  = 1_000 // attempts of a stage
	mostTasks     = 2_000_000
	mostExecutors = 20_000
)

// An App is what is known of one application. It is not safe for concurrent use.
type App struct {
	id, name, user, version string
	queue                   string // of YARN, where it is known
	unit                    unit
	base                    int // of ids of RDDs, in a unit; -1 unknown
	executions              map[int]*execution
	turn                    string // the attempt of an application on YARN; ""
	jobs                    map[int]*job
	stages                  map[int]*stage
	executors               []*executor // in the order in which they came
	byExecutor              map[string]int
	conf                    map[string]string
	pools                   map[string]dag.Pool // of a FAIR scheduler, by name
	over                    bool                // the history server has its end, or a cluster manager
	recorded                bool                // the history server has it
	ended                   dag.Instant         // when
	began                   dag.Instant
	lastSeen                dag.Instant // when the driver answered last
	refusals                int         // rounds in a row in which the driver's page was closed
	unfinished              bool        // the history server has the application, and not its end
	clock                   dateClock
	reported                dag.Instant // the time that the driver reported in its newest answer
	historyTrouble          string      // why the history server cannot be asked; ""
	tasks                   int         // attempts of tasks that are kept
	expected                int         // tasks of the stages of the plan
	dropped                 bool
	untold                  int       // no stage with a lower id is untold
	round                   int       // of a source
	manager                 dag.State // how the application ended, as a cluster manager has it; Blocked before
	order                   []*stage  // those of the plan, in the order in which they came into it
	plan                    *dag.Plan
	names                   map[string]int
	inLog                   bool                  // an event log says all that is known
	unended                 map[*task]dag.Instant // tasks whose end later events imply: when that was noted
	announced               int                   // a.tasks when executors got their cores that nothing says
	missing                 map[lack]bool         // what nothing says, although something happened that comes after it
	lanes                   lanes
	executorsSeen           uint64 // see executorsVersion
}

// A job is a job of Spark.
type job struct {
	id                   int
	group                string
	name, description    string
	submitted, completed dag.Instant
	stages               []int
	status, why          string
	seen                 int  // the round in which it was last told
	settled              bool // a source has its end, and its stages'
	graph                bool // the parents of its stages are known
}

// A stage is a stage of Spark, with all its attempts.
type stage struct {
	id      int
	name    string
	rdds    []int // ascending
	tasks   int
	sized   bool   // an event says how many tasks there are
	status  string // of its newest attempt
	writes  bool   // a shuffle, as what its tasks have written shows
	parents []int
	known   bool // the parents are known
	jobs    []int
	tries   []*try          // by attempt
	index   map[int]int32   // of partitions
	parts   []int           // of indices, -1 none
	seen    int             // the round in which it was last told
	filled  map[int32]*task // of tasks that have ended and that no list has shown
	fresh   []*task         // tasks that no lane was dealt
	changes int             // of its tasks
	kept    kept
	planned int // its place in App.order from 1; 0: not there
	title   string
	pool    string // "" before it is submitted
}

// A try is one attempt of a stage.
type try struct {
	stage, number        int
	tasks                int
	complete             int // tasks that have succeeded
	runMS                float64
	status               string
	submitted, completed dag.Instant
	failure              string
	push                 bool
	list                 map[int]*task // by task id
	// Of a source that asks for a part of the tasks at a time: the tasks before from have ended, as those of ends have;
	// the next window begins at window.
	from, window int
	ends         map[int]bool
	whole        bool // all have been listed since it ended
	settled      bool // none of its tasks runs any more
}

// A task is one attempt of a task.
type task struct {
	id, part    int
	stage       int // its id
	dealt       dealing
	launch, end dag.Instant
	executor    int // index in App.executors, -1 unknown
	state       dag.AttemptState
	guessed     bool // that and when it ended is a guess
	why         string
	in, read    float64 // records
	out         float64
	first, last dag.Mark
	report      dag.Instant
}

// An executor is one of the application's.
type executor struct {
	id, host       string
	cores          int // tasks at once
	total          int // cores, by the log; 0 unknown
	unannounced    bool
	active         bool
	excluded       bool
	added, removed dag.Instant
	reason         string
}

// NewApp returns an application of which nothing is known but, maybe, its id, or that of one of its units.
func NewApp(id string) *App {
	id, of := parseID(id)
	return &App{
		id: id, unit: of, base: -1, executions: map[int]*execution{},
		jobs: map[int]*job{}, stages: map[int]*stage{}, byExecutor: map[string]int{}, conf: map[string]string{},
		pools: map[string]dag.Pool{},
		ended: dag.NoInstant, began: dag.NoInstant, lastSeen: dag.NoInstant,
		clock: newDateClock(), reported: dag.NoInstant, names: map[string]int{},
		unended: map[*task]dag.Instant{}, missing: map[lack]bool{},
	}
}

// ID returns the application's id.
func (a *App) ID() string { return a.id }

// Begun reports whether a job of it, or of its unit, has been seen.
func (a *App) Begun() bool { return len(a.unitJobs()) > 0 }

// Over reports whether the history server has the application's end.
func (a *App) Over() bool { return a.over }

func (a *App) stageAt(id int) *stage {
	s := a.stages[id]
	if s == nil && id >= 0 && len(a.stages) < mostListed {
		s = &stage{id: id, index: map[int]int32{}}
		a.stages[id] = s
	}
	return s
}

// tryAt returns an attempt of a stage, nil where there can be none.
func (s *stage) tryAt(n int) *try {
	if n < 0 || n >= mostAttempts {
		return nil
	}
	for len(s.tries) <= n {
		s.tries = append(s.tries, &try{
			stage: s.id, number: len(s.tries), submitted: dag.NoInstant,
			completed: dag.NoInstant, list: map[int]*task{},
		})
	}
	return s.tries[n]
}

// newest returns the newest attempt of a stage, nil before the first.
func (s *stage) newest() *try {
	if len(s.tries) == 0 {
		return nil
	}
	return s.tries[len(s.tries)-1]
}

func (a *App) executorAt(id string) int {
	if id == "" {
		return -1
	}
	if i, ok := a.byExecutor[id]; ok {
		return i
	}
	if len(a.executors) >= mostExecutors {
		return -1
	}
	a.byExecutor[id] = len(a.executors)
	a.executors = append(a.executors, &executor{
		id: dag.Clean(id), active: true, added: dag.NoInstant,
		removed: dag.NoInstant,
	})
	return len(a.executors) - 1
}

// jobIDs returns the ids of the jobs, ascending.
func (a *App) jobIDs() []int { return slices.Sorted(maps.Keys(a.jobs)) }

// lastJob is the highest id of a job that is known, or that an execution of SQL names; -1 before the first.
func (a *App) lastJob() int {
	last := -1
	for id := range a.jobs {
		last = max(last, id)
	}
	if x := a.execution(); x != nil {
		for id := range x.jobs {
			last = max(last, id)
		}
	}
	return last
}

// running is how many jobs run.
func (a *App) running() int {
	n := 0
	for _, id := range a.unitJobs() {
		if !a.jobs[id].over() {
			n++
		}
	}
	return n
}

// on reports whether a setting is true.
func (a *App) on(key string) bool { return strings.EqualFold(a.conf[key], "true") }
