package schedule

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A replay is one event loop over pools of slots: those of maps and of reduces (FIFO), the memory of containers
// (YARN), or the cores of executors. A driver submits jobs, a scheduler allocates free resources to their tasks,
// and tasks end.
//
// All events of one instant come before the next allocation (docs/facts/paratimer.md A1): ends, then submissions,
// requests, heartbeats and starts. A task of no length ends in a further batch of the same instant.
type replay struct {
	s         *dag.Snapshot
	plan      *dag.Plan
	left      Left
	opt       Options
	now       dag.Instant
	overheads dag.Overheads
	scheduler *scheduler
	waves     []wave // that the driver had not submitted at the beginning
	// fixedSlots means that slots have numbers and nodes of their own (FIFO).
	fixedSlots bool
	onCores    bool // tasks run on executors' cores
	jobs       []job
	stages     []stage // of all jobs, by row

	events eventQueue
	do     []func() // functions that are scheduled
	// The tasks of a batch start together; idleBatches are batches that have started.
	batches     []batch
	idleBatches []int32
	newest      int32 // the latest batch, -1 once it has started
	spans       []Span
	idleSpans   []int32 // spans that have ended, for reuse (EndOnly)
	end         dag.Instant
	copying     int    // spans of tasks that copy
	gaps        []Span // pauses before submissions
	// slotsDiffer is false if only the end of the replay is needed and it makes no difference which slot a task
	// has.
	slotsDiffer bool
	// changed is set by all events that may change which stage is served next. The end of a task is none of them
	// while its stage goes on.
	changed bool
}

// Replay replays the remaining work of the snapshot under its plan's policy.
func Replay(s *dag.Snapshot, left Left, opt Options) (*Schedule, error) {
	if n := len(s.Jobs); n < len(s.Plan.Jobs) { // the others have not been submitted
		whole := *s
		whole.Jobs = append(s.Jobs[:n:n], s.Plan.BlockedJobs()[n:]...)
		s = &whole
	}
	r := opt.EndOnly.replay()
	r.s, r.plan, r.left, r.opt, r.now, r.end, r.newest = s, s.Plan, left, opt, s.At, s.At, -1
	r.events.reset(s.At)
	policy := s.Plan.Cluster.Policy
	if policy > dag.Executors {
		return nil, fmt.Errorf("schedule: no such policy: %v", policy)
	}
	if r.fixedSlots, r.onCores = policy == dag.FIFO, policy == dag.Executors; !r.fixedSlots {
		r.overheads = s.Plan.Overheads
	}
	r.scheduler = newScheduler(r)
	if err := r.scheduler.load(); err != nil {
		return nil, err
	}
	until := dag.Instant(math.MaxInt64)
	if opt.Until.Known() && opt.Until != 0 {
		until = opt.Until
	}
	r.run(until)
	if until == math.MaxInt64 {
		if err := r.stuck(); err != nil {
			return nil, err
		}
	}
	return r.schedule(), nil
}

// maxInstant is later than any real instant of a replay; ends saturate there.
const maxInstant = math.MaxInt64 / 2

// run goes from instant to instant until no event is left, or the next instant is after until.
func (r *replay) run(until dag.Instant) {
	for {
		if r.events.n == 0 {
			if r.now >= until || !r.scheduler.unblock() {
				return
			}
		}
		at := r.events.first()
		if at > until {
			return
		}
		r.now = at
		for r.events.n > 0 && r.events.first() == at {
			r.handle(r.events.pop())
		}
		r.scheduler.grant()
	}
}

// handle handles an event of this instant.
func (r *replay) handle(e event) {
	if e.rank() == 0 {
		r.taskEnds(e)
		return
	}
	switch e.op() {
	case opStart:
		b := &r.batches[e.id]
		r.changed = r.changed || b.stage.copies()
		r.startBatch(b)
		if r.newest == e.id {
			r.newest = -1
		}
		r.idleBatches = append(r.idleBatches, e.id)
		return
	case opSubmit:
		j := &r.jobs[e.id]
		j.submitted = r.now
		r.scheduler.submit(j)
	case opFinish:
		r.finish(&r.jobs[e.id])
	case opBeat:
		r.jobs[e.id].heartbeat(r.scheduler)
	default:
		r.do[e.id]()
	}
	r.changed = true
}

// finish ends a job.
func (r *replay) finish(j *job) {
	if j.state == ended {
		return
	}
	j.state, j.finished = ended, r.now
	r.scheduler.finish(j)
	slices.Sort(j.waves)
	for _, wave := range j.waves {
		r.submitOrWait(wave)
	}
}

// stuck returns an error if a job never ends although no event is left.
func (r *replay) stuck() error {
	var blockedBy error
	for i := range r.jobs {
		j := &r.jobs[i]
		if j.state == ended {
			continue
		}
		k := 0
		for k < len(j.stages)-1 && j.stages[k].left() == 0 {
			k++
		}
		c := &r.plan.Cluster
		err := &StuckError{
			Job: r.plan.Jobs[i].Node, Stage: r.plan.StageName(i, dag.StageIndex(k)),
			NoExecutor: c.Policy == dag.Executors && c.Cores <= 0,
		}
		if j.state != blocked {
			err.Why = r.scheduler.why(err.Stage)
			return err
		}
		if err.Why = "what it comes after never ends"; blockedBy == nil {
			blockedBy = err
		}
	}
	return blockedBy
}

// schedule returns the schedule of the replay.
func (r *replay) schedule() *Schedule {
	sch := &Schedule{Now: r.s.At, End: r.s.At}
	if r.opt.EndOnly == nil {
		sch.Spans = r.spans
		sch.Submitted, sch.Finished = make([]dag.Instant, len(r.jobs)), make([]dag.Instant, len(r.jobs))
		for i := range r.jobs {
			sch.Submitted[i], sch.Finished[i] = r.jobs[i].submitted, r.jobs[i].finished
		}
	}
	r.scheduler.complete(sch)
	return sch
}

// millis rounds a length of time to whole milliseconds, half up (docs/facts/paratimer.md A1); negative lengths are
// 0.
func millis(d time.Duration) dag.Instant {
	if d <= 0 {
		return 0
	}
	ms := d / time.Millisecond
	if d%time.Millisecond >= time.Millisecond/2 {
		ms++
	}
	return dag.Instant(ms)
}

// EndOnly makes a replay return only its end, and keeps its memory for the next replay: sampling makes thousands of
// replays. It is not safe for concurrent use; the zero value is ready.
type EndOnly struct {
	last      replay
	scheduler scheduler
	// by the first of the attempts of a stage; nil if the stage has not finished
	finished map[*dag.Attempt]*finishedStage
	zeros    []int32
}

// replay returns a replay in the memory of the previous one.
func (m *EndOnly) replay() *replay {
	if m == nil {
		return &replay{}
	}
	old := &m.last
	clear(old.do)
	m.last = replay{
		events: old.events, do: old.do[:0],
		batches: old.batches[:0], idleBatches: old.idleBatches[:0], spans: old.spans[:0], idleSpans: old.idleSpans[:0],
	}
	return &m.last
}

// A finishedStage summarizes a stage with one attempt for each task, all of them succeeded.
type finishedStage struct {
	first, last dag.Instant // starts
	ended       dag.Instant // the last end
}

// finished returns the summary of a finished stage, else nil. It is computed once for all replays of a snapshot
// that return only their ends.
func (r *replay) finished(j int, k dag.StageIndex) *finishedStage {
	all, m := r.s.Jobs[j].Stages[k].Attempts, r.opt.EndOnly
	if m == nil || len(all) == 0 {
		return nil
	}
	f, seen := m.finished[&all[0]]
	if !seen {
		if f = finishedOf(all); m.finished == nil {
			m.finished = map[*dag.Attempt]*finishedStage{}
		}
		m.finished[&all[0]] = f
	}
	if len(all) != r.plan.Jobs[j].Stages[k].Count() {
		return nil
	}
	return f
}

func finishedOf(all []dag.Attempt) *finishedStage {
	f := &finishedStage{first: dag.NoInstant, last: dag.NoInstant, ended: dag.NoInstant}
	for i := range all {
		a := &all[i]
		if a.State != dag.AttemptSucceeded || int(a.Task) != i || !a.Start.Known() || !a.End.Known() {
			return nil
		}
		if !f.first.Known() || a.Start < f.first {
			f.first = a.Start
		}
		f.last, f.ended = max(f.last, a.Start), max(f.ended, a.End)
	}
	return f
}
