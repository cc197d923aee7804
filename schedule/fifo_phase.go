package schedule

import (
	"github.com/paratimer/paratimer/dag"
)

// A phaseLoader reads the attempts of one phase.
type phaseLoader struct {
	e       *fifoEngine
	job     int32
	kind    dag.StageIndex
	ended   bool // the job has ended: what is not done stays undone
	running *runningSet
	// first is the earliest start and last the latest end seen.
	first, last dag.Instant
	past        Span    // the span that done attempts are added to
	slots       []int32 // of past
}

// load takes attempts in any order. Every task of the phase ends up done, running, fresh or to be tried again.
func (p *phaseLoader) load(attempts []dag.Attempt) {
	attempts = sorted(attempts)
	count := int32(p.e.plan.Jobs[p.job].Stages[p.kind].Count())
	next := int32(0) // the tasks before it are accounted for
	for i := 0; i < len(attempts); {
		task, from := attempts[i].Task, i
		for i < len(attempts) && attempts[i].Task == task {
			i++
		}
		if task < 0 {
			continue
		}
		if p.task(task, attempts[from:i], count) {
			p.untried(next, min(task, count))
			next = task + 1
		}
	}
	p.untried(next, count)
	p.flush()
}

// untried makes the tasks lo to hi-1 fresh.
func (p *phaseLoader) untried(lo, hi int32) {
	if lo >= hi || p.ended {
		return
	}
	phase := &p.e.jobs[p.job].phases[p.kind]
	phase.left += hi - lo
	p.e.pending += int(hi - lo)
	if phase.fresh.lo == phase.fresh.hi {
		phase.fresh = taskRun{lo, hi}
	} else {
		phase.more = append(phase.more, taskRun{lo, hi})
	}
}

// task takes all attempts of one task and says whether it is anything but fresh.
func (p *phaseLoader) task(task int32, attempts []dag.Attempt, count int32) bool {
	var running []*dag.Attempt
	for i := range attempts {
		a := &attempts[i]
		start := p.e.now
		if a.Start.Known() {
			start = min(a.Start, start)
		}
		if a.State != dag.AttemptWaiting && (!p.first.Known() || start < p.first) {
			p.first = start
		}
		switch a.State {
		case dag.AttemptSucceeded:
			p.done(a)
			return true
		case dag.AttemptRunning:
			running = append(running, a)
		}
	}
	phase := &p.e.jobs[p.job].phases[p.kind]
	tried := false
	for i := range attempts {
		a := &attempts[i]
		switch {
		case a.State == dag.AttemptFailed:
			tried = true
			p.retries(phase).note(task, a.Number, p.e.node(a))
		case a.State == dag.AttemptWaiting && a.Number > 0:
			tried = true
			p.retries(phase).note(task, a.Number-1, -1)
		case a.State == dag.AttemptKilled:
			tried = true
			p.retries(phase).note(task, a.Number, -1)
		}
	}
	switch {
	case p.ended:
		return true
	case len(running) > 0:
		phase.left++
		p.running.add(p.job, p.kind, running)
		return true
	case tried && task < count:
		phase.left++
		p.e.pending++
		phase.retry.wait(task, p.e.nodes[p.kind])
	}
	return tried
}

func (p *phaseLoader) retries(phase *fifoPhase) *retries {
	if phase.retry == nil {
		phase.retry = &retries{}
	}
	return phase.retry
}

// node returns where an attempt is, -1 where that is unknown.
func (e *fifoEngine) node(a *dag.Attempt) int32 {
	if a.Node < 0 && a.Slot >= 0 {
		return a.Slot / e.per
	}
	return max(a.Node, -1)
}

// done adds a succeeded attempt to the past. Instants that contradict now are brought into order.
func (p *phaseLoader) done(a *dag.Attempt) {
	end := a.End
	if !end.Known() || end > p.e.now {
		end = p.e.now
	}
	p.last = max(p.last, end)
	if p.e.opt.FutureOnly {
		return
	}
	start := a.Start
	if !start.Known() || start > end {
		start = end
	}
	slot := a.Slot
	if int(slot) >= len(p.e.free[p.kind].all) {
		slot = -1
	}
	sp := &p.past
	if len(p.slots) > 0 && sp.First+sp.Count == a.Task && sp.Start == start && sp.End == end &&
		sp.Attempt == a.Number &&
		slot > p.slots[len(p.slots)-1] {
		sp.Count++
		p.slots = append(p.slots, slot)
		return
	}
	p.flush()
	*sp = Span{
		Job: p.job, Stage: p.kind, First: a.Task, Count: 1, Attempt: a.Number, Past: true, Start: start,
		End: end,
	}
	p.slots = append(p.slots[:0], slot)
}

func (p *phaseLoader) flush() {
	if len(p.slots) == 0 {
		return
	}
	p.past.Slots = p.e.free[p.kind].keep(p.slots)
	p.e.spans = append(p.e.spans, p.past)
	p.slots = p.slots[:0]
}
