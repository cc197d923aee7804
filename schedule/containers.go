package schedule

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// yarn replays what real clusters do with a Pig script (docs/facts/hadoop.md F, seen on recordings of Hadoop 3.4.2):
// one pool of containers by memory, an AM container for each job, the earlier application first, inside an application
// failed maps before reduces before maps, reduces asked for by slow start and ramp-up, each holding its container
// through the copy phase, and the next wave of jobs submitted only when the whole one before it has ended.
//
// Its spans lie in the future or run now: the past is not repeated. Slots are lanes, numbered as containers are
// handed out; a freed lane is used again, so a lane's tasks follow each other as in a slot.
type containers struct {
	s    *dag.Snapshot
	left Left
	opt  Options
	now  dag.Instant
	jobs []containersJob
	// phases are room for those of the jobs that are loaded next.
	phases []containersStage
	// loads are the other applications, in order of submission.
	loads     []load
	ebbs      []ebb // what they give back, in the order of making
	demanding []ask // those of them that want memory
	limited   bool  // what a user may hold depends on who wants some
	// queues hold ours first. allowMB is what may be handed out in one step where several want some.
	queues  []queue
	allowMB int
	// freed says that others' memory was taken as free because nothing else could ever happen.
	freed bool
	// order is the order of submission, in which the scheduler serves applications.
	order  []int
	byKey  []int // room for that order by the plan's keys
	driver driver
	gaps   []Span // pauses before submissions
	pool   pool
	growth growth
	todo   events
	out    []Span
	err    error
	// recent starts by node, for the start-up law: JVMs that start together slow each other down.
	recent recentStarts
	// first is the run's first start; NoInstant before.
	first   dag.Instant
	batches []batch
	endOnly *EndOnly
	alike   bool // see coresAlike
	opened  int  // stages that waited for others and wait no more
}

func replayYARN(s *dag.Snapshot, left Left, opt Options) (*Schedule, error) {
	y := &containers{s: s, left: left, opt: opt, now: s.At, first: dag.NoInstant, endOnly: opt.EndOnly}
	y.endOnly.lend(y)
	defer y.endOnly.take(y)
	if err := y.load(); err != nil {
		return nil, err
	}
	y.grant(y.now)
	for y.err == nil && (len(y.todo.heap) > 0 || y.endOnly.ending() || y.unblock()) {
		if y.endOnly.ending() && y.endBatch() {
			continue
		}
		if opt.Until.Known() && opt.Until > 0 && (len(y.todo.heap) == 0 || y.todo.heap[0].at > opt.Until) {
			break
		}
		e := y.todo.pop()
		y.now = e.at
		y.happen(&e)
		// All that happens at one instant is seen before containers are handed out again.
		if !y.moreNow() {
			y.grant(y.now)
		}
	}
	if y.err == nil && !(opt.Until.Known() && opt.Until > 0) {
		y.err = y.stuck()
	}
	if y.err != nil {
		return nil, y.err
	}
	return y.schedule(), nil
}

// moreNow says that more happens at this instant.
func (y *containers) moreNow() bool {
	return len(y.todo.heap) > 0 && y.todo.heap[0].at <= y.now || y.endOnly.ending() && y.endOnly.ends.first() <= y.now
}

// unblock makes room when nothing is left to happen and tasks still wait. It says whether anything changed.
func (y *containers) unblock() bool {
	if y.opt.Until.Known() && y.opt.Until > 0 && y.now >= y.opt.Until || !y.waits() {
		return false
	}
	if !slices.ContainsFunc(y.order, y.preempt) && !y.freeLoads() {
		return false
	}
	y.at(y.now, rankEnd, func(dag.Instant) {})
	return true
}

// waits says that a submitted job has not ended.
func (y *containers) waits() bool {
	for _, j := range y.order {
		if y.jobs[j].stage != ended {
			return true
		}
	}
	return false
}

// stuck reports a job that never ends although nothing is left to happen.
func (y *containers) stuck() error {
	for j := range y.jobs {
		job := &y.jobs[j]
		if job.stage == ended {
			continue
		}
		stage := 0
		for stage < len(job.phase)-1 && job.phase[stage].left() == 0 {
			stage++
		}
		why := "the pool has no room for one container; check the cluster's and the queue's memory"
		if job.stage == blocked {
			why = "what it comes after never ends"
		}
		cluster := &y.s.Plan.Cluster
		return &StuckError{
			Job: y.s.Plan.Jobs[j].Node, Stage: y.s.Plan.StageName(j, dag.StageIndex(stage)), Why: why,
			NoExecutor: cluster.Policy == dag.Executors && cluster.Cores <= 0,
		}
	}
	return nil
}

func (y *containers) schedule() *Schedule {
	sch := &Schedule{Now: y.s.At, End: y.s.At, Freed: y.freed}
	if y.endOnly != nil {
		for j := range y.jobs {
			if t := y.jobs[j].finished; t.Known() {
				sch.End = max(sch.End, t)
			}
		}
		return sch
	}
	sch.Spans = y.out
	sch.Submitted = make([]dag.Instant, len(y.jobs))
	sch.Finished = make([]dag.Instant, len(y.jobs))
	sch.Mastered = make([]dag.Instant, len(y.jobs))
	for j := range y.jobs {
		sch.Mastered[j] = y.jobs[j].mastered
		sch.Submitted[j] = y.jobs[j].submitted
		sch.Finished[j] = y.jobs[j].finished
		if t := y.jobs[j].finished; t.Known() && t > sch.End {
			sch.End = t
		}
	}
	sch.Spans = append(sch.Spans, pauses(sch, y.gaps)...)
	sortSpans(sch.Spans)
	return sch
}

func (y *containers) submit(j int, t dag.Instant) {
	job := &y.jobs[j]
	job.submitted, job.beat = t, t
	y.order = append(y.order, j)
	if len(y.order) == 1 {
		y.askAnew()
	}
	// The RM takes a moment to accept the application.
	y.at(t.Add(y.s.Plan.Overheads.AMStart), rankAsk, func(dag.Instant) { job.stage = waitingAM })
}

// startAM gives the job's AM its container.
func (y *containers) startAM(j int, t dag.Instant) {
	job := &y.jobs[j]
	o := y.s.Plan.Overheads
	y.occupy(j, job.amMB)
	job.stage, job.mastered = starting, t
	ready := t.Add(max(0, o.Launch-o.AMStart))
	y.at(ready, rankSubmit, func(t dag.Instant) { y.activate(j, t) })
}

// activate asks for the job's tasks: its first may start now.
func (y *containers) activate(j int, t dag.Instant) {
	job := &y.jobs[j]
	job.stage = active
	job.beat = t
	for i := range job.phase {
		if p := &job.phase[i]; p.total == 0 && !p.closed && len(p.after) == 0 {
			y.follow(j, dag.StageIndex(i), 0, 0, t) //nolint:gosec // an index
		}
	}
	if job.left() == 0 {
		y.at(t.Add(y.s.Plan.Overheads.Finish), rankEnd, func(t dag.Instant) { y.finish(j, t) })
	}
	job.rules.first(y, j, t)
}

// finish ends the job; its AM keeps its container a while.
func (y *containers) finish(j int, t dag.Instant) {
	job := &y.jobs[j]
	if job.stage == ended {
		return
	}
	job.stage, job.finished = ended, t
	mb := job.amMB
	y.at(t.Add(y.s.Plan.Overheads.AMHold), rankEnd, func(dag.Instant) {
		y.vacate(j, mb)
		y.pool.empty(job.seat, mb)
	})
	y.driver.next(y, t)
}
