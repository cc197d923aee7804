package schedule

import (
	"fmt"
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A replay is one event loop over pools of slots: those of maps and of reduces (FIFO), the memory of containers
// (YARN), or the cores of executors. A driver submits jobs, a scheduler allocates free resources to their tasks,
// and tasks end.
//
// All events of one instant come before the next allocation (facts/paratimer.md A1): ends, then submissions,
// requests, heartbeats and starts. A task of no length ends in a further batch of the same instant.
type replay struct {
	s         *dag.Snapshot
	plan      *dag.Plan
	left      Left
	opt       Options
	now       dag.Instant
	overheads dag.Overheads
	waves     []wave // that the driver had not submitted at the beginning
	// fixedSlots means that slots have numbers and nodes of their own (FIFO).
	fixedSlots bool
	onCores    bool // tasks run on executors' cores
	jobs       []job
	stages     []stage // of all jobs, by row

	events  eventQueue
	do      []func() // functions that are scheduled
	batches []batch  // tasks that start together
	spans   []Span
	runs    []taskRun
	end     dag.Instant
	copying int    // spans of tasks that copy
	gaps    []Span // pauses before submissions
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
	if p := s.Plan.Cluster.Policy; p > dag.Executors {
		return nil, fmt.Errorf("schedule: no such policy: %v", p)
	}
	c := newScheduler(s, left, opt)
	if err := c.load(); err != nil {
		return nil, err
	}
	until := opt.Until
	if until.Known() && until != 0 {
		c.run(until)
		return c.schedule(), nil
	}
	c.run(math.MaxInt64)
	if err := c.stuck(); err != nil {
		return nil, err
	}
	return c.schedule(), nil
}

// maxInstant is later than any real instant of a replay; ends saturate there.
const maxInstant = math.MaxInt64 / 2

// run goes from instant to instant until no event is left, or the next instant is after until.
func (c *scheduler) run(until dag.Instant) {
	for {
		if c.events.len() == 0 {
			if c.now >= until || !c.unblock() {
				return
			}
		}
		at := c.events.first()
		if at > until {
			return
		}
		c.now = at
		for c.events.len() > 0 && c.events.first() == at {
			c.handle(c.events.pop())
		}
		c.grant()
	}
}

// Ranks of events: at one instant ends of tasks come before the ends of jobs and others, then submissions, requests,
// heartbeats and starts. Events of one rank run in the order in which they were scheduled.
const (
	rankTask   int32 = iota // the kind is that of an end
	rankEnd                 // as rankSubmit and rankAsk: function ID runs
	rankSubmit              //
	rankAsk                 //
	rankBeat                // the master of job ID has a heartbeat
	rankStart               // batch ID starts
)

// Kinds of ends. The end of one task that succeeds has the row of its stage as kind and its slot as ID, so that the
// replay does not read its span, which has left the cache.
const (
	endOfSpan   int32 = -1 // span ID
	endOfSlots  int32 = -2 // span ID: another attempt has ended its task, and it frees its slots
	endOfOthers int32 = -3 // release ID: tasks of another application
	endOfRun    int32 = -4 // run ID
)

// at schedules a function.
func (r *replay) at(t dag.Instant, rank int32, do func()) {
	r.do = append(r.do, do)
	r.later(t, rank, len(r.do)-1)
}

// later schedules an event.
func (r *replay) later(t dag.Instant, rank int32, id int) {
	//nolint:gosec // an index
	r.events.push(event{At: max(t, r.now), ID: int32(id), Kind: -rank * eventKinds})
}

// endAt schedules an end.
func (r *replay) endAt(t dag.Instant, id int, kind int32) {
	r.events.push(event{At: max(t, r.now), ID: int32(id), Kind: kind}) //nolint:gosec // an index
}

// handle handles an event of this instant.
func (c *scheduler) handle(e event) {
	switch e.rank() {
	case rankTask:
		c.endTasks(e)
		return
	case rankStart:
		b := &c.batches[e.ID]
		c.changed = c.changed || b.stage.copies()
		b.begin(c)
		return
	case rankBeat:
		c.jobs[e.ID].heartbeat(c)
	default:
		c.do[e.ID]()
	}
	c.changed = true
}

// stuck returns an error if a job never ends although no event is left.
func (c *scheduler) stuck() error {
	var blockedBy error
	for i := range c.jobs {
		j := &c.jobs[i]
		if j.state == ended {
			continue
		}
		k := 0
		for k < len(j.stages)-1 && j.stages[k].left() == 0 {
			k++
		}
		err := &StuckError{
			Job: c.plan.Jobs[i].Node, Stage: c.plan.StageName(i, dag.StageIndex(k)), //nolint:gosec // an index
			NoExecutor: c.onCores && c.plan.Cluster.Cores <= 0,
		}
		switch {
		case j.state == blocked:
			if err.Why = "what it comes after never ends"; blockedBy == nil {
				blockedBy = err
			}
			continue
		case c.fixedSlots:
			err.Why = "the cluster has no " + err.Stage + " slots; give it at least one"
		default:
			err.Why = "the pool has no room for one container; check the cluster's and the queue's memory"
		}
		return err
	}
	return blockedBy
}

// millis rounds a length of time to whole milliseconds, half up (facts/paratimer.md A1); negative lengths are
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
	last scheduler
	// by the first of the attempts of a stage; nil if the stage has not finished
	finished map[*dag.Attempt]*finishedStage
	zeros    []int32
}

// newScheduler returns the scheduler of a replay, in the memory of the previous one.
func newScheduler(s *dag.Snapshot, left Left, opt Options) *scheduler {
	m := opt.EndOnly
	if m == nil {
		m = &EndOnly{}
	}
	old := m.last
	clear(old.do)
	c := &m.last
	*c = scheduler{
		replay: replay{
			s: s, plan: s.Plan, left: left, opt: opt, now: s.At, end: s.At,
			events: old.events, do: old.do[:0], batches: old.batches[:0], spans: old.spans[:0],
			runs: old.runs[:0], jobs: old.jobs, stages: old.stages,
		},
		cluster: old.cluster, ours: old.ours, allowed: plenty, order: old.order[:0], waiting: old.waiting[:0],
		recent: old.recent[:0], first: dag.NoInstant,
	}
	c.events.reset(s.At)
	policy := s.Plan.Cluster.Policy
	if c.fixedSlots, c.onCores = policy == dag.FIFO, policy == dag.Executors; !c.fixedSlots {
		c.overheads = s.Plan.Overheads
	}
	return c
}

// A finishedStage summarizes a stage with one attempt for each task, all of them succeeded.
type finishedStage struct {
	first, last dag.Instant // starts
	ended       dag.Instant // the last end
}

// finished returns the summary of a finished stage, else nil. It is computed once for all replays of a snapshot
// that return only their ends.
func (c *loader) finished(st *stage) *finishedStage {
	all, m := c.state(st).Attempts, c.opt.EndOnly
	if m == nil || len(all) == 0 || len(all) != st.total {
		return nil
	}
	f, seen := m.finished[&all[0]]
	if !seen {
		if f = finishedOf(all); m.finished == nil {
			m.finished = map[*dag.Attempt]*finishedStage{}
		}
		m.finished[&all[0]] = f
	}
	return f
}

func finishedOf(all []dag.Attempt) *finishedStage {
	f := &finishedStage{first: all[0].Start, last: dag.NoInstant, ended: dag.NoInstant}
	for i := range all {
		a := &all[i]
		if a.State != dag.AttemptSucceeded || int(a.Task) != i || !a.Start.Known() || !a.End.Known() {
			return nil
		}
		f.first, f.last, f.ended = min(f.first, a.Start), max(f.last, a.Start), max(f.ended, a.End)
	}
	return f
}
