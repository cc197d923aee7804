// Package explain says why the predicted end of a query has moved between two observations: failures, new work, sizes
// that became known, nodes that came or went, another cost model, another speed.
//
// Each cause is applied to the older run, and is worth what it moves the end of the replay. The parts add up.
//
// # Stability
//
// Young: names may change in a minor version (docs/api.md).
package explain

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// A Reason is a class of causes for a move of the predicted end.
type Reason string

// The reasons, in the order in which Changes applies them. The set is closed.
const (
	ReasonFailure Reason = "failure"  // attempts failed, or work that was done is lost
	ReasonNewWork Reason = "new_work" // an application submitted work that was not announced
	ReasonSize    Reason = "size"     // numbers of tasks or sizes became known
	ReasonSlots   Reason = "slots"    // slots or containers were lost or gained
	ReasonModel   Reason = "model"    // a job's tasks are predicted in another way
	ReasonSpeed   Reason = "speed"    // tasks take more or less time than predicted
	ReasonOther   Reason = "other"    // the rest
)

// Two more reasons, which only WithHindsight gives: they need more than one observation.
const (
	ReasonWave  Reason = "wave"  // a stage needs more or fewer tasks in its last wave
	ReasonStart Reason = "start" // tasks or pauses begin at another time than was planned
)

// A Change is the part that one reason has in a move of the predicted end.
type Change struct {
	Delta   time.Duration
	Reason  Reason
	Subject string // a description for people; "" if nothing can be named
	// Event marks what a reader should see at once: lost work, new numbers of tasks, nodes or slots lost or gained.
	// All other changes are new predictions of the same work.
	Event bool
}

// A move is reported if it exceeds both of these.
const (
	moveLeast = 5 * time.Second
	moveRatio = 0.02 // of the query's predicted length
)

// Moved reports whether a predicted end has moved enough to be explained. total is the query's predicted length.
func Moved(delta, total time.Duration) bool {
	return delta.Abs() > max(moveLeast, time.Duration(moveRatio*float64(total)))
}

// An ingredient makes a snapshot equal to a later one in one respect, and describes the difference. It returns nil
// if the two do not differ in that respect.
type ingredient func(s, later *dag.Snapshot) (*dag.Snapshot, string)

// Changes explains why the end that standard predicts has moved by delta from one run to a later one of the same
// query.
//
// Changes applies the causes to the older run one by one, in the order of the reasons. Each cause is worth what it
// moves the end of the replay. The rest of delta is ReasonOther, so the parts add up; parts of less than half a
// second also count there. The order matters if causes meet: if a task fails and its costs have become known, it
// counts as a failure at the old cost.
func Changes(before, after dag.Run, delta time.Duration, model estimators.Model) []Change {
	a := attribution{rest: delta}
	if comparable(before, after) {
		a.causes(before, after, model, asKnownLater)
	}
	return a.all()
}

// comparable reports whether two runs can be compared: neither has ended.
func comparable(before, after dag.Run) bool {
	return len(before.Window) > 0 && !before.Now().State.Ended() && !after.Now().State.Ended()
}

// An attribution splits a move of the predicted end into parts.
type attribution struct {
	parts []Change
	rest  time.Duration // not explained by any part yet
}

// addPart adds a part. A part of less than half a second stays in the rest.
func (a *attribution) addPart(c Change) {
	if c.Delta.Abs() >= time.Second/2 {
		a.parts, a.rest = append(a.parts, c), a.rest-c.Delta
	}
}

// all returns the parts, including the rest.
func (a *attribution) all() []Change {
	if a.rest != 0 {
		a.parts = append(a.parts, Change{Delta: a.rest, Reason: ReasonOther})
	}
	return a.parts
}

// A hindsight predicts the remaining times of the tasks of s from what a later snapshot shows.
type hindsight func(s, later *dag.Snapshot, costs estimators.Costs) schedule.Left

// causes applies the causes to the older run one by one. It returns the replay of the older run with all of them; nil
// if the runs cannot be compared after a step.
func (a *attribution) causes(before, after dag.Run, model estimators.Model, known hindsight) *schedule.Schedule {
	w := estimators.NewReplayContext(before, model, estimators.Options{})
	end, err := w.End(w.Costs.Left)
	if err != nil {
		return nil
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
		next := estimators.NewReplayContext(replaced(w.Run, s), model, estimators.Options{})
		moved, err := next.End(next.Costs.Left)
		if err != nil {
			continue // the mixed snapshot cannot be replayed: its part counts as other
		}
		event := step.event(w.Run.Now(), after.Now())
		a.addPart(Change{Delta: moved.Sub(end), Reason: step.Reason, Subject: subject, Event: event})
		w, end = next, moved
	}
	if !sameShape(w.Now(), after.Now()) || !sameStages(w.Now(), after.Now()) {
		return nil
	}
	costs := model(after)
	later := known(w.Now(), after.Now(), costs)
	other := changedModels(w, costs)
	if len(other) > 0 {
		if moved, err := w.End(onlyOf(other, later, w.Costs.Left)); err == nil {
			a.addPart(Change{Delta: moved.Sub(end), Reason: ReasonModel, Subject: describeModels(w, costs, other)})
			end = moved
		}
	}
	planned, err := schedule.Replay(w.Now(), later, schedule.Options{FutureOnly: true})
	if err != nil {
		return nil
	}
	moved := planned.End.Sub(end)
	a.addPart(Change{Delta: moved, Reason: ReasonSpeed, Subject: slower(w, costs, other, moved)})
	return planned
}

// replaced returns the run with s in place of its newest snapshot.
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

// clone copies a snapshot's jobs and nodes. An ingredient that changes attempts copies them itself.
func clone(s *dag.Snapshot) *dag.Snapshot {
	c := *s
	c.Jobs = dag.CloneStates(s.Jobs)
	c.Nodes = slices.Clone(s.Nodes)
	return &c
}
