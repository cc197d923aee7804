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
	ReasonFailure Reason = "failure" // attempts failed, or work that was done is lost
	ReasonSize    Reason = "size"    // numbers of tasks or sizes became known
	ReasonSlots   Reason = "slots"   // slots or containers were lost or gained
	ReasonModel   Reason = "model"   // a job's tasks are predicted in another way
	ReasonSpeed   Reason = "speed"   // tasks take more or less time than was thought
	ReasonOther   Reason = "other"   // the rest
)

// A Change is one reason's part in a move of the predicted end.
type Change struct {
	Delta   time.Duration
	Reason  Reason
	Subject string // what it was, for people; "" where nothing can be named
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
	var out []Change
	rest := delta
	tell := func(d time.Duration, r Reason, subject string) {
		if d.Abs() >= time.Second/2 {
			out = append(out, Change{Delta: d, Reason: r, Subject: subject})
			rest -= d
		}
	}
	if len(before.Window) > 0 && !before.Now().State.Ended() && !after.Now().State.Ended() {
		attribute(before, after, model, tell)
	}
	if rest != 0 {
		out = append(out, Change{Delta: rest, Reason: ReasonOther})
	}
	return out
}

func attribute(before, after dag.Run, model Model, tell func(time.Duration, Reason, string)) {
	w := NewReplayContext(before, model, Options{})
	end, err := w.end(w.Costs.Left)
	if err != nil {
		return
	}
	for _, step := range []struct {
		Reason
		ingredient
	}{
		{ReasonFailure, lostWork},
		{ReasonSize, knownSizes},
		{ReasonSlots, changedSlots},
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
		tell(moved.Sub(end), step.Reason, subject)
		w, end = next, moved
	}
	if !sameShape(w.Now(), after.Now()) {
		return
	}
	costs := model(after)
	later := asKnownLater(w.Now(), after.Now(), costs)
	other := changedModels(w, costs)
	if len(other) > 0 {
		if moved, err := w.end(onlyOf(other, later, w.Costs.Left)); err == nil {
			tell(moved.Sub(end), ReasonModel, describeModels(w, costs, other))
			end = moved
		}
	}
	if moved, err := w.end(later); err == nil {
		tell(moved.Sub(end), ReasonSpeed, slower(w, costs, other))
	}
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
