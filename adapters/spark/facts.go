package spark

import (
	"maps"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// Bounds of an application. What is beyond them is left out, and the snapshot has a warning.
const (
	mostJobs      = 20_000
	mostStages    = 20_000 // stages that compute something, of a plan
	mostListed    = 200_000
	mostAttempts  = 1_000 // attempts of a stage
	mostTasks     = 2_000_000
	mostExecutors = 20_000
)

// facts are what is known of an application: its jobs, stages and executions of SQL, its executors and its settings.
type facts struct {
	id, name, user, version string
	queue                   string // of YARN, where it is known
	turn                    string // the attempt of an application on YARN; ""
	unit                    unit
	base                    int // of ids of RDDs, in a unit; -1 unknown
	conf                    settings
	executions              map[int]*execution
	jobs                    map[int]*job
	stages                  map[int]*stage
	jobIDs, stageIDs        []int // ascending
	executors
	pools   map[string]dag.Pool // of a FAIR scheduler, by name
	began   dag.Instant
	clock   dateClock
	tasks   int // attempts of tasks that are known
	dropped bool
	untold  int  // all stages with a lower id are listed
	round   int  // of a source
	inLog   bool // the event log is the only source
}

func newFacts(id string) *facts {
	id, of := parseID(id)
	return &facts{
		id: id, unit: of, base: -1, conf: settings{}, executions: map[int]*execution{}, jobs: map[int]*job{},
		stages: map[int]*stage{}, executors: executors{byID: map[string]int{}}, pools: map[string]dag.Pool{},
		began: dag.NoInstant, clock: newDateClock(),
	}
}

// A job is a job of Spark.
type job struct {
	id                   int
	group                string
	name, description    string
	submitted, completed dag.Instant
	stages               []int // ascending
	status, why          string
	seen                 int  // the round in which it was last listed
	settled              bool // a source has its end, and its stages'
}

func (j *job) over() bool { return j.status == "SUCCEEDED" || j.status == "FAILED" }

// last is the job's last stage, whose results are those of the job; -1 if it has none.
func (j *job) last() int {
	if len(j.stages) == 0 {
		return -1
	}
	return j.stages[len(j.stages)-1]
}

// A stage is a stage of Spark, with all its attempts.
type stage struct {
	id      int
	name    string
	rdds    []int  // ascending
	shuffle string // its RDDs as text
	tasks   int
	sized   bool   // an event has the number of tasks
	status  string // of its newest attempt
	writes  bool   // a shuffle, as its tasks show
	parents []int
	known   bool // the parents are known
	jobs    []int
	tries   []*try // by attempt
	seen    int    // the round in which it was last listed
	planned int    // its place in the plan, from 1; 0: not there
	title   string
	pool    string  // "" before it is submitted
	fresh   []*task // tasks that have no core yet
	table   table
}

// done reports whether a stage has ended well.
func (s *stage) done() bool { return s.status == "COMPLETE" && len(s.tries) > 0 }

// ran reports whether a stage has been submitted.
func (s *stage) ran() bool { return len(s.tries) > 0 }

// listed reports whether an answer had more of a stage than its id.
func (s *stage) listed() bool { return s != nil && (s.status != "" || s.tasks > 0) }

// newest returns the newest attempt of a stage, nil before the first.
func (s *stage) newest() *try {
	if len(s.tries) == 0 {
		return nil
	}
	return s.tries[len(s.tries)-1]
}

// tryAt returns an attempt of a stage, nil where there can be none.
func (s *stage) tryAt(n int) *try {
	if n < 0 || n >= mostAttempts {
		return nil
	}
	for len(s.tries) <= n {
		s.tries = append(s.tries, &try{
			stage: s, number: len(s.tries), submitted: dag.NoInstant, completed: dag.NoInstant,
		})
	}
	return s.tries[n]
}

// stageAt returns a stage, nil if there are too many.
func (f *facts) stageAt(id int) *stage {
	s := f.stages[id]
	if s == nil && id >= 0 && len(f.stages) < mostListed {
		s = &stage{id: id}
		f.stages[id], f.stageIDs = s, insert(f.stageIDs, id)
	}
	return s
}

// addJob adds a job; it returns false if there are too many.
func (f *facts) addJob(j *job) bool {
	if len(f.jobs) >= mostJobs {
		f.dropped = true
		return false
	}
	f.jobs[j.id], f.jobIDs = j, insert(f.jobIDs, j.id)
	return true
}

// insert adds a number that an ascending list does not have.
func insert(list []int, n int) []int {
	at, _ := slices.BinarySearch(list, n)
	return slices.Insert(list, at, n)
}

// takeJob takes what a job is, and how far it is.
func (f *facts) takeJob(id int, name, description string, submitted, completed dag.Instant, stages []int,
	status, group string,
) {
	j := f.jobs[id]
	if j == nil {
		if j = (&job{id: id}); id < 0 || !f.addJob(j) {
			f.dropped = true
			return
		}
	}
	j.seen = f.round
	j.name, j.description, j.submitted, j.completed, j.status = name, description, submitted, completed, status
	j.group = dag.Clean(group)
	if len(j.stages) != len(stages) {
		j.stages = j.stages[:0]
		for _, n := range stages {
			if s := f.stageAt(n); s != nil {
				j.stages = append(j.stages, n)
				if !slices.Contains(s.jobs, id) {
					s.jobs = append(s.jobs, id)
				}
			}
		}
		slices.Sort(j.stages)
	}
}

// lastJob is the highest id of a job that is known, or that an execution of SQL names; -1 before the first.
func (f *facts) lastJob() int {
	last := -1
	if n := len(f.jobIDs); n > 0 {
		last = max(last, f.jobIDs[n-1])
	}
	if x := f.execution(); x != nil {
		for id := range x.jobs {
			last = max(last, id)
		}
	}
	return last
}

// running is how many jobs of the unit run.
func (f *facts) running() int {
	n := 0
	for _, id := range f.unitJobs() {
		if !f.jobs[id].over() {
			n++
		}
	}
	return n
}

// firstOf returns when the first of some jobs was submitted, NoInstant if no submission is known.
func (f *facts) firstOf(jobs []int) dag.Instant {
	first := dag.NoInstant
	for _, id := range jobs {
		if j := f.jobs[id]; j != nil && j.submitted.Known() && (!first.Known() || j.submitted < first) {
			first = j.submitted
		}
	}
	return first
}

// submitted is when the first job of the unit was submitted.
func (f *facts) submitted() dag.Instant { return f.firstOf(f.unitJobs()) }

// edgesKnown reports whether the parents of all stages of a job are known.
func (f *facts) edgesKnown(j *job) bool {
	for _, id := range j.stages {
		if s := f.stages[id]; len(j.stages) > 1 && s != nil && !s.known {
			return false
		}
	}
	return true
}

func sortedKeys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }
