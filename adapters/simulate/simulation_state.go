package simulate

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A simulationState is the state of a simulated run, and the schedule from the start of its current leg on.
type simulationState struct {
	*truth
	now    dag.Instant // when the leg began
	end    dag.Instant // when the last job ends
	jobs   []job
	events []event       // that end legs, in order
	sudden event         // the next failure of a job or attempt that the scheduler does not plan
	dead   []bool        // nodes that have stopped working
	lostAt []dag.Instant // when the cluster noticed; NoInstant before
	slots  slotMap       // FIFO: slots as the scheduler numbers them

	fate   map[attemptKey]dag.Instant // when an attempt that fails would have ended
	launch map[attemptKey]launch      // YARN: where a new attempt runs, and its set-up
	warm   dag.Instant                // YARN: end of the cold starts; NoInstant before the first
}

type job struct {
	submitted, finished dag.Instant
	mastered            dag.Instant // YARN: when its master got a container
	state               dag.State   // Failed, Killed if it follows a failed job, else Blocked
	why                 string
	phases              []phase // by stage
}

type phase struct {
	uniform     bool
	tracks      []track     // by task, then number
	kept        int         // tracks of earlier legs
	first, last dag.Instant // the first start and the last end
}

type attemptKey struct {
	job          int
	kind         dag.StageIndex
	task, number int32
}

type launch struct {
	node  int32
	setup dag.Instant // milliseconds
}

// An event changes the state at an instant.
type event struct {
	at dag.Instant
	do func()
}

func newSimulationState(t *truth) *simulationState {
	w := &simulationState{truth: t, now: t.opt.Start, jobs: make([]job, len(t.plan.Jobs)), warm: dag.NoInstant}
	w.dead, w.lostAt = make([]bool, nodeCount(t.plan)), make([]dag.Instant, nodeCount(t.plan))
	for n := range w.lostAt {
		w.lostAt[n] = dag.NoInstant
	}
	w.slots = newSlotMap(t.plan.Cluster.SlotsPerNode, w.lostAt)
	for j := range w.jobs {
		w.jobs[j].submitted, w.jobs[j].finished, w.jobs[j].mastered = dag.NoInstant, dag.NoInstant, dag.NoInstant
		w.jobs[j].phases = make([]phase, len(t.plan.Jobs[j].Stages))
		for k := range t.plan.Jobs[j].NumStages() {
			w.jobs[j].phases[k] = phase{uniform: w.uniform(j, k), first: never, last: dag.NoInstant}
		}
	}
	for _, l := range t.opt.Lose {
		at := w.now.Add(l.At)
		w.schedule(event{at, func() { w.die(l.Node) }})
		w.schedule(event{at.Add(l.Detect), func() { w.notice(l.Node) }})
	}
	return w
}

// schedule adds an event, after earlier ones of the same instant.
func (w *simulationState) schedule(e event) {
	i := slices.IndexFunc(w.events, func(o event) bool { return o.at > e.at })
	if i < 0 {
		i = len(w.events)
	}
	w.events = slices.Insert(w.events, i, e)
}

// reach simulates legs until t is in the current one. An event at t is included.
func (w *simulationState) reach(t dag.Instant) error {
	for {
		next, ok := w.next(min(t, w.end))
		if !ok {
			return nil
		}
		w.now = next
		for e, ok := w.take(next); ok; e, ok = w.take(next) {
			e.do()
		}
		if err := w.replay(); err != nil {
			return err
		}
	}
}

// next returns the instant of the next event, and whether it is at t or before.
func (w *simulationState) next(t dag.Instant) (dag.Instant, bool) {
	at := never
	if len(w.events) > 0 {
		at = w.events[0].at
	}
	if w.sudden.do != nil {
		at = min(at, w.sudden.at)
	}
	return at, at <= t
}

// take removes one of the events at t.
func (w *simulationState) take(t dag.Instant) (e event, ok bool) {
	switch {
	case w.sudden.do != nil && w.sudden.at == t:
		e, w.sudden = w.sudden, event{}
	case len(w.events) > 0 && w.events[0].at == t:
		e, w.events = w.events[0], w.events[1:]
	}
	return e, e.do != nil
}

// replay plans the leg that begins now. It discards the previous plan from now on.
func (w *simulationState) replay() error {
	for j := range w.jobs {
		if job := &w.jobs[j]; !job.state.Ended() {
			job.submitted, job.finished, job.mastered = w.past(job.submitted), w.past(job.finished),
				w.past(job.mastered)
		}
		for k := range w.jobs[j].phases {
			p := &w.jobs[j].phases[k]
			p.tracks = slices.DeleteFunc(p.tracks, func(r track) bool { return r.start >= w.now })
			p.kept = len(p.tracks)
		}
	}
	w.sudden = event{at: never}
	w.fate, w.launch = map[attemptKey]dag.Instant{}, map[attemptKey]launch{}
	opt := schedule.Options{FutureOnly: true, Owners: w.owners()}
	if len(w.opt.Fail) > 0 || w.opt.FailRate > 0 {
		opt.Fault = w.fault
	}
	sch, err := schedule.Replay(w.state(), w.left, opt)
	if err != nil {
		return err
	}
	if err := w.adopt(sch); err != nil {
		return err
	}
	w.planQuit()
	return nil
}

// past returns t if it is before now, else NoInstant.
func (w *simulationState) past(t dag.Instant) dag.Instant {
	if t >= w.now {
		return dag.NoInstant
	}
	return t
}

// adopt makes the schedule the planned future.
func (w *simulationState) adopt(sch *schedule.Schedule) error {
	w.end = w.now
	for j := range w.jobs {
		job := &w.jobs[j]
		if !job.state.Ended() {
			job.submitted, job.finished = sch.Submitted[j], sch.Finished[j]
			if j < len(sch.Mastered) && sch.Mastered[j].Known() {
				job.mastered = sch.Mastered[j]
			}
		}
		if job.finished.Known() && j < w.ours {
			w.end = max(w.end, job.finished)
		}
	}
	for i := range sch.Spans {
		// Pauses and the stand-ins for dead slots are not attempts.
		if sp := &sch.Spans[i]; sp.Pause == dag.NoPause && int(sp.Job) < len(w.jobs) {
			for c := range sp.Count {
				w.adoptTask(sp, c)
			}
		}
	}
	for j := range w.jobs {
		for k := range w.jobs[j].phases {
			if r := w.jobs[j].phases[k].settle(); r != nil {
				return fmt.Errorf("simulate: at %d: the scheduler starts attempt %d of %v task %d of job %s twice",
					w.now, r.number, w.plan.Jobs[j].Stages[k].Name, r.task, w.plan.Jobs[j].Node)
			}
		}
	}
	return nil
}

// adoptTask applies task c of a span: a new attempt, or a running one with an end that may have changed.
func (w *simulationState) adoptTask(sp *schedule.Span, c int32) {
	p := &w.jobs[sp.Job].phases[sp.Stage]
	task := w.taskAt(int(sp.Job), sp.Stage, sp.First+c)
	key := attemptKey{int(sp.Job), sp.Stage, task, sp.Attempt}
	r := find(p.tracks[:p.kept], task, sp.Attempt)
	if r == nil || r.end <= w.now {
		p.tracks = append(p.tracks, track{task: task, number: sp.Attempt, slot: -1, start: sp.Start})
		r = &p.tracks[len(p.tracks)-1]
		if w.plan.Cluster.Policy == dag.FIFO {
			r.slot = w.slots.slot(sp.Slots[c])
			r.node = r.slot / w.slots.per
			r.ready = r.start.Add(w.setup(key.job, key.kind, int(task), 0, false))
		} else {
			l := w.launch[key]
			r.node, r.ready = l.node, r.start+l.setup
		}
	}
	if r.frozen {
		return
	}
	x := w.extentOf(key, r)
	r.end, r.how, r.why = sp.End, dag.AttemptSucceeded, ""
	would := sp.End
	if sp.Outcome == schedule.Fails {
		at, failed := w.fate[key]
		if failed {
			would, r.how, r.why = at, dag.AttemptFailed, failedWhy
		} else {
			// The scheduler has preempted its container.
			would, r.how, r.why = never, dag.AttemptKilled, "preempted"
		}
	}
	if sp.Outcome == schedule.OK && r.start < w.now {
		w.planCrash(key, r.start, r.end)
	}
	r.succeeds(would, w.now, w.workLeft(r, x), x.work)
}

func (w *simulationState) extentOf(key attemptKey, r *track) extent {
	return w.extent(key.job, key.kind, int(r.task), int(r.number), int(r.node))
}

// workLeft returns how many milliseconds of work an attempt has left now.
func (w *simulationState) workLeft(r *track, x extent) int64 {
	if r.start >= w.now {
		return x.work
	}
	return x.work - r.position(w.now, x.work)
}

// settle sorts the tracks and records their first start and last end. It returns a duplicate attempt, or nil.
func (p *phase) settle() *track {
	if !slices.IsSortedFunc(p.tracks, byTask) {
		slices.SortFunc(p.tracks, byTask)
	}
	p.first, p.last = never, dag.NoInstant
	for i := range p.tracks {
		r := &p.tracks[i]
		p.first, p.last = min(p.first, r.start), max(p.last, r.end)
		if i > 0 && byTask(p.tracks[i-1], *r) == 0 {
			return r
		}
	}
	return nil
}
