package schedule

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

type stage uint8

const (
	blocked   stage = iota // not submitted
	waitingAM              // submitted, its AM has no container
	starting               // its AM is up, no task asked for yet
	active                 // its tasks are asked for
	ended
)

// A containersJob is a job's state in the replay.
type containersJob struct {
	stage               stage
	never               bool // a job that it depends on did not succeed
	submitted, finished dag.Instant
	mastered            dag.Instant       // its AM gets its container in this replay
	lastEnd             dag.Instant       // end of its last task so far
	beat                dag.Instant       // an instant of its AM's heartbeat
	beating             bool              // a heartbeat is scheduled
	phase               []containersStage // by stage
	amMB                int
	seat                int32   // the node whose memory its AM has taken, -1 where none
	avoided             []int32 // nodes on which its AM wants no containers
	queue, user         int32
	rampUp              float64
	rules               stageRules
	// containers that are kept, by the instant from which on they are free, oldest first (AncestorsFirst)
	idle []stamp
}

// A containersStage counts a stage's tasks. pending are ranges of indices that have not been granted, in order;
// retry are indices to run again, which go first.
type containersStage struct {
	after       []dag.Edge // what it reads, as the job's rules take it
	total, done int
	mb          int  // of a container
	most        int  // tasks that may run at once; 0: no limit
	closed      bool // it waits for stages that it reads: its pending tasks are not asked for
	paused      bool // these have ended, and its submission by the driver is an event to come
	// by task: how many tasks of the same index it waits for (OneToOne); nil without such an edge
	lacks   []int8
	row     int32       // in EndOnly.stages
	tracked bool        // a stage reads it one to one: it matters which of its tasks end
	ended   dag.Instant // the end of its last task; NoInstant while one is left
	// Of a stage that copies while the stages before it run:
	slowStart     float64
	from          dag.StageIndex // the stage by whose tasks it is asked for; -1: it does not copy
	asked, asking int            // tasks asked of the scheduler and not yet granted, and about to be asked
	copying       []waiting
	granted       int // hold a container, or have been given one
	pending       [][2]int32
	waiting       int // tasks in pending
	retry         []int32
	doomed        []int32         // run on lost nodes, and have not been given up
	attempt       map[int32]int32 // next attempt number where it is not 0
}

// A waiting task copies: it has its container and lacks input.
type waiting struct {
	span  int // index in out
	ready dag.Instant
	work  time.Duration
}

func (p *containersStage) left() int { return p.total - p.done }

func (p *containersStage) copies() bool { return p.from >= 0 }

// retries says that the scheduler has been asked to run tasks of a stage that does not copy again.
func (p *containersStage) retries() bool {
	return !p.copies() && !p.closed && len(p.retry) > 0 && p.retry[0] >= 0
}

// wantsCopying says that tasks that copy have been asked for.
func (p *containersStage) wantsCopying() bool {
	return p.copies() && p.asked > 0 && p.waiting+len(p.retry) > 0
}

// wantsPending says that tasks of a stage that does not copy wait for their first container.
func (p *containersStage) wantsPending() bool { return !p.copies() && p.waiting > 0 }

// largestMB is the largest container of its tasks.
func (job *containersJob) largestMB() int {
	most := 0
	for k := range job.phase {
		most = max(most, job.phase[k].mb)
	}
	return most
}

// left is how many tasks of the job are not done.
func (job *containersJob) left() int {
	n := 0
	for k := range job.phase {
		n += job.phase[k].left()
	}
	return n
}

// requested is how many tasks the scheduler has been asked for and has given no container. Retries behind a negative
// index are not asked for yet.
func (p *containersStage) requested() int {
	if p.closed || len(p.retry) > 0 && p.retry[0] < 0 {
		return p.waiting
	}
	return p.waiting + len(p.retry)
}

// defaultMB is what a container is taken to hold when nobody has said: MapReduce's default for tasks.
const defaultMB = 1024

func orMB(v, def int) int {
	if v > 0 {
		return v
	}
	return def
}

func (y *containers) load() error {
	s := y.s
	y.jobs = make([]containersJob, len(s.Plan.Jobs))
	stages := 0
	for j := range s.Plan.Jobs {
		stages += len(s.Plan.Jobs[j].Stages)
	}
	y.phases = make([]containersStage, stages)
	y.pool.init(s)
	y.loadGrowth()
	y.alike = y.endOnly != nil && y.coresAlike()
	y.loadQueues()
	for j := range y.jobs {
		y.loadJob(j)
	}
	y.loadOthers()
	// What a master has asked for depends on all that is held, its own tasks included.
	for j := range y.jobs {
		if y.jobs[j].stage == active {
			y.loadAsked(j)
		}
	}
	slices.SortStableFunc(y.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(y.jobs[a].submitted, y.jobs[b].submitted),
			strings.Compare(s.Jobs[a].ID, s.Jobs[b].ID))
	})
	y.findDemanding()
	if next := s.NextContainer; next > s.At {
		y.at(next, rankEnd, func(dag.Instant) {}) // a grant follows
	}
	return y.loadDriver()
}

// owner is the other user whose job it is, nil for one of the query.
func (y *containers) owner(j int) *Owner {
	if j < len(y.opt.Owners) && y.opt.Owners[j].At.Known() {
		return &y.opt.Owners[j]
	}
	return nil
}

func (y *containers) loadJob(j int) {
	s, job := y.s, &y.jobs[j]
	js, plan := &s.Jobs[j], &s.Plan.Jobs[j]
	job.rampUp = plan.MapReduce.RampUp
	y.loadStages(j)
	job.avoided = y.pool.avoidedBy(js)
	job.seat = -1
	if o := y.owner(j); o != nil {
		job.queue = y.queueOf(o.Queue)
		job.user = y.tenantOf(job.queue, o.User)
	}
	job.submitted, job.finished, job.mastered = js.Submitted, dag.NoInstant, dag.NoInstant
	if job.submitted.Known() && !js.State.Ended() {
		y.order = append(y.order, j)
	}
	job.lastEnd = dag.NoInstant
	job.beat = js.Submitted
	if js.State.Ended() {
		job.stage, job.finished = ended, js.Finished
		if !job.finished.Known() {
			job.finished = s.At
		}
		y.started(js.Submitted) // or some time later: the first batch is over by now
		if js.HeldMB > 0 {
			held := min(js.HeldMB, job.amMB)
			y.occupy(j, held)
			y.at(job.finished.Add(s.Plan.Overheads.AMHold), rankEnd, func(dag.Instant) { y.vacate(j, held) })
		}
		return
	}
	for k := range job.phase {
		y.loadPhase(j, dag.StageIndex(k)) //nolint:gosec // an index
	}
	y.openStages(j)
	y.loadStage(j)
	y.loadRunning(j)
	if plan.Rules == dag.AncestorsFirst {
		y.loadIdle(j)
	}
}

// loadIdle finds the containers that the job's master keeps: those in which a task has ended and none runs, as many as
// the application holds beside its running tasks.
func (y *containers) loadIdle(j int) {
	job, js := &y.jobs[j], &y.s.Jobs[j]
	freed := map[int32]dag.Instant{} // by container: the end of its last task, NoInstant while one runs
	running := 0
	for k := range js.Stages {
		for i := range js.Stages[k].Attempts {
			a := &js.Stages[k].Attempts[i]
			was, seen := freed[a.Slot]
			switch {
			case a.State == dag.AttemptRunning:
				running += job.phase[k].mb
				freed[a.Slot] = dag.NoInstant
			case a.Slot < 0 || a.State == dag.AttemptWaiting || !a.End.Known() || seen && !was.Known() ||
				a.State == dag.AttemptFailed:
			default:
				freed[a.Slot] = max(was, a.End)
			}
		}
	}
	ends := make([]dag.Instant, 0, len(freed))
	for _, t := range freed {
		if keep := y.s.Plan.Overheads.Idle; t.Known() && (keep == 0 || t.Add(keep) >= y.now) {
			ends = append(ends, t)
		}
	}
	slices.Sort(ends)
	if mb := job.largestMB(); js.HeldMB > 0 && mb > 0 {
		ends = ends[max(0, len(ends)-max(0, js.HeldMB-job.amMB-running)/mb):]
	}
	for _, t := range ends {
		job.rules.freed(job, 1, t)
	}
}
