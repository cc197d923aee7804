package schedule

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A Trace is a full replay that can be cut at any instant.
type Trace struct {
	*Schedule
	s     *dag.Snapshot
	left  Left
	begun map[attemptID]begunTask // by the first of the tasks that share the cost
	nodes map[int32]int32         // by slot, if known
	ended map[[2]int]dag.Instant  // by job and stage: the end of its last task
}

func idOf(t *Task) attemptID {
	return attemptID{int32(t.Job), t.Stage, int32(t.Index), int32(t.Attempt)} //nolint:gosec // indices
}

// A begunTask is the cost of a task when it began.
type begunTask struct {
	cost Cost
	at   dag.Instant
}

// NewTrace replays a snapshot under its plan's policy.
func NewTrace(s *dag.Snapshot, left Left, fault Fault) (*Trace, error) {
	begun, nodes := make(map[attemptID]begunTask), make(map[int32]int32)
	sch, err := Replay(s, func(x Task) Cost {
		cost, at := left(x), x.Start
		if x.Running != nil || !at.Known() {
			at = s.At
		}
		begun[idOf(&x)] = begunTask{cost, at}
		nodes[int32(x.Slot)] = int32(x.Node) //nolint:gosec // a plan has fewer
		return cost
	}, Options{Fault: fault})
	if err != nil {
		return nil, err
	}
	return (&Trace{Schedule: sch, s: s, left: left, begun: begun, nodes: nodes}).ends(), nil
}

// ends sets the ends of stages and returns t.
func (t *Trace) ends() *Trace {
	t.ended = make(map[[2]int]dag.Instant)
	for i := range t.Spans {
		if sp := &t.Spans[i]; sp.Pause == dag.NoPause && sp.Outcome == OK {
			stage := [2]int{int(sp.Job), int(sp.Stage)}
			t.ended[stage] = max(t.ended[stage], sp.End)
		}
	}
	return t
}

// Cut returns the state of the replay at an instant that is not before now, and the remaining costs of its tasks.
// Tasks that start at this instant have not started. The snapshot has its own jobs, but shares the replay's plan.
func (t *Trace) Cut(at dag.Instant) (*dag.Snapshot, Left) {
	s, rest := t.cut(at, at)
	return s, func(x Task) Cost {
		if cost, ok := rest[idOf(&x)]; ok && x.Running != nil {
			return cost
		}
		return t.left(x)
	}
}

// SnapshotAt returns the observable state of a schedule, replayed in full from a snapshot, at an instant that is
// not before now. Tasks that start at this instant have started. The snapshot has its own jobs, but shares the plan
// of from.
func SnapshotAt(from *dag.Snapshot, run *Schedule, at dag.Instant) *dag.Snapshot {
	s, _ := (&Trace{Schedule: run, s: from}).ends().cut(at, at+1)
	return s
}

// cut returns the state of the replay at an instant, and the remaining costs of the running attempts. Tasks that start
// before the instant before have started.
func (t *Trace) cut(at, before dag.Instant) (*dag.Snapshot, map[attemptID]Cost) {
	s, rest := *t.s, make(map[attemptID]Cost)
	s.At, s.Jobs, s.Nodes = at, dag.CloneStates(t.s.Jobs), slices.Clone(t.s.Nodes)
	unfinished := func(a dag.Attempt) bool { return a.State == dag.AttemptRunning || a.State == dag.AttemptWaiting }
	for j := range s.Jobs {
		t.cutJob(&s.Jobs[j], j, at, before)
		for k := range s.Jobs[j].Stages {
			stage := &s.Jobs[j].Stages[k]
			stage.Attempts = slices.DeleteFunc(slices.Clone(stage.Attempts), unfinished)
		}
	}
	for i := range t.Spans {
		sp := &t.Spans[i]
		if sp.Pause != dag.NoPause || sp.Past || sp.Start >= before {
			continue
		}
		stage := &s.Jobs[sp.Job].Stages[sp.Stage]
		for n := range sp.Count {
			stage.Attempts = append(stage.Attempts, t.attempt(sp, n, at, rest))
		}
	}
	for j := range s.Jobs {
		for k := range s.Jobs[j].Stages {
			slices.SortStableFunc(s.Jobs[j].Stages[k].Attempts, dag.ByTask)
		}
	}
	return &s, rest
}

// cutJob sets the state of a job that has not ended.
func (t *Trace) cutJob(js *dag.JobState, j int, at, before dag.Instant) {
	if js.State.Ended() {
		return
	}
	seen := js.Submitted.Known()
	js.Submitted, js.Finished, js.HeldMB = t.Submitted[j], dag.NoInstant, 0
	switch {
	case !js.Submitted.Known() || js.Submitted >= before && !seen:
		js.Submitted, js.State = dag.NoInstant, dag.Blocked
	case t.Finished[j].Known() && t.Finished[j] <= at:
		js.State, js.Finished = dag.Succeeded, t.Finished[j]
	case t.Mastered != nil && t.Mastered[j].Known() && t.Mastered[j] >= before:
		js.State = dag.Submitted
	default:
		js.State = dag.Running
		js.HeldMB = t.s.Plan.Jobs[j].MasterMB
	}
}

// attempt returns task n of a span as an attempt at an instant. It adds the remaining cost of a running one to rest.
func (t *Trace) attempt(sp *Span, n int32, at dag.Instant, rest map[attemptID]Cost) dag.Attempt {
	a := dag.BlankAttempt(sp.First+n, sp.Attempt)
	a.Slot, a.Start, a.End = sp.Slots[n], sp.Start, sp.End
	if t.s.Plan.Cluster.Policy == dag.FIFO {
		a.Node = a.Slot / int32(max(1, t.s.Plan.Cluster.SlotsPerNode)) //nolint:gosec // Validate bounds it
	} else if node, ok := t.nodes[sp.Slots[0]]; ok {
		if one, ok := t.nodes[a.Slot]; ok {
			node = one
		}
		a.Node = node
	}
	switch {
	case sp.End <= at && sp.Outcome == Fails:
		a.State = dag.AttemptFailed
	case sp.End <= at:
		a.State = dag.AttemptSucceeded
	default:
		a.State, a.End = dag.AttemptRunning, dag.NoInstant
		was, known := t.of(sp)
		input, copies := t.input(sp)
		cost := Cost{Work: sp.End.Sub(at), Same: 1}
		if known && sp.Outcome == Fails { // without the failure it would have gone on
			end := max(was.at.Add(was.cost.Setup), input).Add(was.cost.Work)
			cost.Work = max(end, sp.End).Sub(at)
		}
		if known && input > at {
			cost = was.cost
			cost.Setup, cost.Same = max(was.at.Add(was.cost.Setup).Sub(at), 0), 1
		} else if copies {
			a.CopyEnd = at
		}
		rest[attemptID{sp.Job, sp.Stage, a.Task, a.Number}] = cost
	}
	return a
}

// input returns when the last input of a span's tasks is complete. copies reports whether they wait for it in their
// slots.
func (t *Trace) input(sp *Span) (last dag.Instant, copies bool) {
	job := &t.s.Plan.Jobs[sp.Job]
	for _, e := range job.Stages[sp.Stage].After {
		last = max(last, t.ended[[2]int{int(sp.Job), int(e.From)}])
		copies = copies || job.Rules.Early(e)
	}
	if !copies {
		return 0, false
	}
	return last, true
}

// mostTogether bounds the search for the first of several tasks with one cost.
const mostTogether = 1 << 16

// of returns the cost of a span's tasks when they began. A replay may compute one cost for several tasks that start
// together, and split them into spans if one fails.
func (t *Trace) of(sp *Span) (begunTask, bool) {
	first := sp.First
	for i := first; i >= 0 && i > first-mostTogether; i-- {
		if was, ok := t.begun[attemptID{sp.Job, sp.Stage, i, sp.Attempt}]; ok {
			return was, i == first || was.at == sp.Start && int(i)+was.cost.Same > int(first)
		}
	}
	return begunTask{}, false
}
