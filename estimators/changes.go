package estimators

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A Reason is a class of causes for a move of the predicted end.
type Reason string

// The reasons, in the order in which they are told apart. The set is closed.
const (
	ReasonFailure Reason = "failure"  // attempts failed, or work that was done is lost
	ReasonNewWork Reason = "new_work" // an application submitted work that nobody had announced
	ReasonSize    Reason = "size"     // numbers of tasks or sizes became known
	ReasonSlots   Reason = "slots"    // slots or containers were lost or gained
	ReasonModel   Reason = "model"    // a job's tasks are predicted in another way
	ReasonSpeed   Reason = "speed"    // tasks take more or less time than was thought
	ReasonOther   Reason = "other"    // the rest
)

// Two more reasons, which Explain alone gives: they need more than one observation.
const (
	ReasonWave  Reason = "wave"  // a stage needs more or fewer tasks in its last wave
	ReasonStart Reason = "start" // tasks or pauses begin at another time than was planned
)

// A Change is one reason's part in a move of the predicted end.
type Change struct {
	Delta   time.Duration
	Reason  Reason
	Subject string // what it was, for people; "" where nothing can be named
	// Event says that something happened that a reader is told of at once: work lost, new numbers of tasks, nodes or
	// slots lost or gained. All else is a new prediction of the same work.
	Event bool
}

// A move is told where it is more than both of these.
const (
	moveLeast = 5 * time.Second
	moveRatio = 0.02 // of the query's predicted length
)

// Moved says whether a predicted end has moved so much that a reader must be told why; total is the query's predicted
// length.
func Moved(delta, total time.Duration) bool {
	return delta.Abs() > max(moveLeast, time.Duration(moveRatio*float64(total)))
}

// An ingredient makes a snapshot more like a later one, in one respect, and says in what.
// It returns nil where the two do not differ in that respect.
type ingredient func(s, later *dag.Snapshot) (*dag.Snapshot, string)

// Changes says why the end that standard predicts has moved by delta from one run to a later one of the same query.
//
// The causes are applied to the older run one by one, in the order of the reasons: each is worth what it moves the end
// of the replay. What is left of delta is ReasonOther, so that the parts add up. A part of less than half a second is
// counted there too. The order matters where causes meet: a task that fails and whose costs have become known counts
// as a failure at the old cost.
func Changes(before, after dag.Run, delta time.Duration, model Model) []Change {
	a := attribution{rest: delta}
	if comparable(before, after) {
		a.causes(before, after, model, asKnownLater)
	}
	return a.all()
}

// comparable says that two runs can be compared: neither has ended.
func comparable(before, after dag.Run) bool {
	return len(before.Window) > 0 && !before.Now().State.Ended() && !after.Now().State.Ended()
}

// An attribution is a move of the predicted end on its way to its parts.
type attribution struct {
	parts []Change
	rest  time.Duration // what no part explains yet
}

// tell adds a part. One of less than half a second stays in the rest.
func (a *attribution) tell(c Change) {
	if c.Delta.Abs() >= time.Second/2 {
		a.parts, a.rest = append(a.parts, c), a.rest-c.Delta
	}
}

// all are the parts, the rest among them.
func (a *attribution) all() []Change {
	if a.rest != 0 {
		a.parts = append(a.parts, Change{Delta: a.rest, Reason: ReasonOther})
	}
	return a.parts
}

// A hindsight predicts what was left of the tasks of s by what a later snapshot shows of them.
type hindsight func(s, later *dag.Snapshot, costs Costs) schedule.Left

// causes applies the causes to the older run one by one. It returns the older run's world with all of them, and its
// costs; nil if a step cannot be compared.
func (a *attribution) causes(before, after dag.Run, model Model, known hindsight) (*ReplayContext, schedule.Left,
	Costs,
) {
	w := NewReplayContext(before, model, Options{})
	end, err := w.end(w.Costs.Left)
	if err != nil {
		return nil, nil, Costs{}
	}
	for _, step := range []struct {
		Reason
		ingredient
		event func(s, later *dag.Snapshot) bool
	}{
		{ReasonFailure, lostWork, func(_, _ *dag.Snapshot) bool { return true }},
		{ReasonNewWork, newWork, func(_, _ *dag.Snapshot) bool { return true }},
		{ReasonSize, knownSizes, func(s, later *dag.Snapshot) bool { return len(plannedSizes(s, later)) > 0 }},
		{ReasonSlots, changedSlots, func(s, later *dag.Snapshot) bool { return len(capacityChanges(s, later)) > 0 }},
	} {
		s, subject := step.ingredient(w.Run.Now(), after.Now())
		if s == nil {
			continue
		}
		next := NewReplayContext(replaced(w.Run, s), model, Options{})
		moved, err := next.end(next.Costs.Left)
		if err != nil {
			continue // such a mixture cannot run: its part is told as other
		}
		event := step.event(w.Run.Now(), after.Now())
		a.tell(Change{Delta: moved.Sub(end), Reason: step.Reason, Subject: subject, Event: event})
		w, end = next, moved
	}
	if !sameShape(w.Now(), after.Now()) || !sameStages(w.Now(), after.Now()) {
		return nil, nil, Costs{}
	}
	costs := model(after)
	later := known(w.Now(), after.Now(), costs)
	other := changedModels(w, costs)
	if len(other) > 0 {
		if moved, err := w.end(onlyOf(other, later, w.Costs.Left)); err == nil {
			a.tell(Change{Delta: moved.Sub(end), Reason: ReasonModel, Subject: describeModels(w, costs, other)})
			end = moved
		}
	}
	if moved, err := w.end(later); err == nil {
		a.tell(Change{Delta: moved.Sub(end), Reason: ReasonSpeed, Subject: slower(w, costs, other, moved.Sub(end))})
	}
	return w, later, costs
}

// end replays the world with given costs.
func (w *ReplayContext) end(left schedule.Left) (dag.Instant, error) {
	s, err := schedule.Replay(w.Now(), left, schedule.Options{FutureOnly: true})
	if err != nil {
		return dag.NoInstant, err
	}
	return s.End, nil
}

// replaced is the run with s in place of its newest snapshot.
func replaced(run dag.Run, s *dag.Snapshot) dag.Run {
	now := run.Now()
	swap := func(list []*dag.Snapshot) []*dag.Snapshot {
		list = slices.Clone(list)
		for i := range list {
			if list[i] == now {
				list[i] = s
			}
		}
		return list
	}
	return dag.Run{Window: swap(run.Window), Anchors: swap(run.Anchors)}
}

// clone copies a snapshot as deep as ingredients change it: jobs and nodes; attempts are copied by who changes them.
func clone(s *dag.Snapshot) *dag.Snapshot {
	c := *s
	c.Jobs = dag.CloneStates(s.Jobs)
	c.Nodes = slices.Clone(s.Nodes)
	return &c
}
