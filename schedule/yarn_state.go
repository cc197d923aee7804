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

// A yarnJob is a job's state in the replay.
type yarnJob struct {
	stage               stage
	never               bool // a job that it depends on did not succeed
	submitted, finished dag.Instant
	mastered            dag.Instant // its AM gets its container in this replay
	lastEnd             dag.Instant // end of its last task so far
	mapsEnd             dag.Instant // end of its last map; NoInstant while one is left
	beat                dag.Instant // an instant of its AM's heartbeat
	beating             bool        // a heartbeat is scheduled
	phase               [2]yarnPhase
	asked               int // reduces asked of the scheduler and not yet granted
	asking              int // reduces about to be asked
	copying             []waiting
	amMB                int
	seat                int32   // the node whose memory its AM has taken, -1 where none
	avoided             []int32 // nodes on which its AM wants no containers
	queue, user         int32
	mb                  [2]int
	limits              dag.Limits
}

// A yarnPhase counts a phase's tasks. pending are ranges of indices that have not been granted, in order;
// retry are indices to run again, which go first.
type yarnPhase struct {
	total, done int
	granted     int // hold a container, or have been given one
	pending     [][2]int32
	waiting     int // tasks in pending
	retry       []int32
	attempt     map[int32]int32 // next attempt number where it is not 0
}

// A waiting reduce has its container and lacks map outputs.
type waiting struct {
	span  int // index in out
	ready dag.Instant
	work  time.Duration
}

func (p *yarnPhase) left() int { return p.total - p.done }

// requested is how many tasks the scheduler has been asked for and has given no container. Retries behind a negative index
// are not asked for yet.
func (p *yarnPhase) requested() int {
	if len(p.retry) > 0 && p.retry[0] < 0 {
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

func (y *yarn) load() error {
	s := y.s
	y.jobs = make([]yarnJob, len(s.Plan.Jobs))
	y.pool.init(s)
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
		return cmp.Or(cmp.Compare(y.jobs[a].submitted, y.jobs[b].submitted), strings.Compare(s.Jobs[a].ID, s.Jobs[b].ID))
	})
	y.findHungry()
	if next := s.NextContainer; next > s.At {
		y.at(next, rankEnd, func(dag.Instant) {}) // a grant follows
	}
	return y.loadWaves()
}

// owner is the other user whose job it is, nil for one of the query.
func (y *yarn) owner(j int) *Owner {
	if j < len(y.opt.Owners) && y.opt.Owners[j].At.Known() {
		return &y.opt.Owners[j]
	}
	return nil
}

func (y *yarn) loadJob(j int) {
	s, job := y.s, &y.jobs[j]
	js, plan := &s.Jobs[j], &s.Plan.Jobs[j]
	job.limits = plan.Limits
	job.mb = [2]int{orMB(plan.Limits.MapMB, defaultMB), orMB(plan.Limits.ReduceMB, defaultMB)}
	job.amMB = orMB(plan.Limits.AMMB, job.mb[dag.Map])
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
	job.mapsEnd, job.lastEnd = dag.NoInstant, dag.NoInstant
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
	for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
		y.loadPhase(j, k)
	}
	if job.phase[dag.Map].left() == 0 {
		job.mapsEnd = dag.NoInstant
		for _, a := range js.Map.Attempts {
			if a.State == dag.AttemptSucceeded && a.End.Known() && (!job.mapsEnd.Known() || a.End > job.mapsEnd) {
				job.mapsEnd = a.End
			}
		}
		if !job.mapsEnd.Known() {
			job.mapsEnd = s.At
		}
	}
	y.loadStage(j)
	y.loadRunning(j)
}
