// Package explain computes why the predicted end of a query has moved between two observations: failures, new work,
// sizes that became known, nodes that came or went, another cost model, another speed.
//
// Each cause is applied to the older run, and is worth what it moves the end of the replay. The parts add up.
//
// It also finds the tasks of a stage that work longer than the others because they were given more, such as skewed
// reduces, and what that costs the query: a delay or a gain is how far it moves the end of the replay.
//
// # Stability
//
// Young: names may change in a minor version (CONTRIBUTING.md).
package explain

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/estimators/internal/taskcost"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
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

// Moved reports whether a predicted end has moved enough to be explained. total is the query's predicted length.
func Moved(delta, total time.Duration) bool {
	return delta.Abs() > max(taskcost.Notable, time.Duration(taskcost.NotableRatio*float64(total)))
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

// comparable reports whether two runs can be compared: neither has ended, and they have the same stages.
func comparable(before, after dag.Run) bool {
	return len(before.Window) > 0 && !before.Now().State.Ended() && !after.Now().State.Ended() &&
		after.Now().Plan.Continues(before.Now().Plan)
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
	a.addPart(Change{Delta: moved, Reason: ReasonSpeed, Subject: slower(w, after.Now().Plan, costs, other, moved)})
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
	run.Window, run.Anchors = swap(run.Window), swap(run.Anchors)
	return run
}

// WithHindsight explains why the predicted end has moved by delta over several observations. It is Changes, but a task
// that has started since counts with the time that it took. The rest is attributed to the first stage that moved in the
// plan: more or fewer tasks in its last wave, or another start. The parts add up to delta.
func WithHindsight(before, after dag.Run, delta time.Duration, model estimators.Model) []Change {
	a := attribution{rest: delta}
	var planned *schedule.Schedule
	if comparable(before, after) {
		planned = a.causes(before, after, model, asHappened)
	}
	if planned != nil {
		now, err := schedule.Replay(after.Now(), model(after).Left, schedule.Options{FutureOnly: true})
		if err == nil {
			if c := replanned(after.Now().Plan, planned, now); c.Subject != "" {
				a.addPart(c)
			}
		}
	}
	return a.all()
}

// asHappened is asKnownLater that also uses the measured times of tasks that have started since.
func asHappened(s, later *dag.Snapshot, costs estimators.Costs) schedule.Left {
	known := asKnownLater(s, later, costs)
	return func(t schedule.Task) schedule.Cost {
		if t.Running != nil {
			return known(t)
		}
		list := dag.AttemptsOf(later.Attempts(t.Job, t.Stage), t.Index)
		for i := range list {
			is := &list[i]
			switch {
			case is.State == dag.AttemptSucceeded && is.Start.Known() && is.End.Known():
				return schedule.Cost{Work: max(0, is.End.Sub(is.Start)), Same: 1}
			case is.State == dag.AttemptRunning && is.Start.Known():
				t.Running = is
				c := costs.Left(t)
				c.Setup, c.Same = c.Setup+later.At.Sub(is.Start), 1
				return c
			}
		}
		return known(t)
	}
}

// A row is a stage of a job, or one of its pauses.
type row struct {
	job   int32
	stage dag.StageIndex
	pause dag.Pause
}

// An extent is the time from the first start to the last end of a row's tasks.
type extent struct{ start, end dag.Instant }

func extents(s *schedule.Schedule) map[row]extent {
	out := map[row]extent{}
	for i := range s.Spans {
		span := &s.Spans[i]
		key := row{span.Job, span.Stage, span.Pause}
		e, there := out[key]
		if !there {
			e = extent{span.Start, span.End}
		}
		out[key] = extent{min(e.start, span.Start), max(e.end, span.End)}
	}
	return out
}

// replanned compares two plans of the same tasks with the same costs, the later one made after what has happened
// since. The Change names the first row, by its end, that has moved by at least half of the move of the whole end.
// Its subject is empty if there is no such row.
func replanned(plan *dag.Plan, was, is *schedule.Schedule) Change {
	moved := is.End.Sub(was.End)
	before, after := extents(was), extents(is)
	var first row
	found := false
	for key, a := range after {
		b, there := before[key]
		if by := a.end.Sub(b.end); !there || moved == 0 || (by > 0) != (moved > 0) || 2*by.Abs() < moved.Abs() {
			continue
		}
		order := cmp.Or(cmp.Compare(a.end, after[first].end), cmp.Compare(key.job, first.job),
			cmp.Compare(key.stage, first.stage), cmp.Compare(key.pause, first.pause))
		if !found || order < 0 {
			first, found = key, true
		}
	}
	if !found || int(first.job) >= len(plan.Jobs) {
		return Change{}
	}
	of := plan.OfJob(int(first.job))
	if first.pause != dag.NoPause {
		what := pauses[first.pause]
		if plan.Cluster.Policy == dag.Executors {
			what = "the driver's own work"
		}
		return Change{Delta: moved, Reason: ReasonStart, Subject: what + of + " " +
			worded(moved, "takes longer", "takes less time") + " than planned"}
	}
	stage := plan.StageName(int(first.job), first.stage)
	if n, width := lastWave(was, is, first); n > 0 && n < width {
		return Change{Delta: moved, Reason: ReasonWave, Subject: fmt.Sprintf("%s%s %s in the last wave",
			units.Tasks(n, stage), of, worded(moved, "more", "fewer"))}
	}
	return Change{Delta: moved, Reason: ReasonStart, Subject: fmt.Sprintf("%s tasks%s start %s than planned", stage, of,
		worded(moved, "later", "earlier"))}
}

// pauses describes each kind of pause.
var pauses = map[dag.Pause]string{dag.Launch: "the launch", dag.Wave: "the submission", dag.Finish: "the end"}

// worded returns later for a move to a later end, else earlier.
func worded(moved time.Duration, later, earlier string) string {
	if moved > 0 {
		return later
	}
	return earlier
}

// lastWave counts the tasks of a row that end in the longer plan after the row has ended in the shorter one. width
// is the greatest number of its tasks that run at once.
func lastWave(was, is *schedule.Schedule, key row) (n, width int) {
	a, b := extents(was)[key].end, extents(is)[key].end
	long, over := is, a
	if b < a {
		long, over = was, b
	}
	type step struct {
		at dag.Instant
		by int32
	}
	var steps []step
	for i := range long.Spans {
		span := &long.Spans[i]
		if (row{span.Job, span.Stage, span.Pause}) != key {
			continue
		}
		if span.End > over {
			n += int(span.Count)
		}
		steps = append(steps, step{span.Start, span.Count}, step{span.End, -span.Count})
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	var running int32
	for _, s := range steps {
		running += s.by
		width = max(width, int(running))
	}
	return n, width
}
