package explain

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// WithHindsight explains why the predicted end has moved by delta over several observations. It is Changes, but a task
// that has started since counts with the time that it took. The rest is attributed to the first stage that moved in the
// plan: more or fewer tasks in its last wave, or another start. The parts add up to delta.
func WithHindsight(before, after dag.Run, delta time.Duration, model estimators.Model) []Change {
	a := attribution{rest: delta}
	if !comparable(before, after) {
		return a.all()
	}
	planned := a.causes(before, after, model, asHappened)
	if planned == nil {
		return a.all()
	}
	now, err := schedule.Replay(after.Now(), model(after).Left, schedule.Options{FutureOnly: true})
	if err != nil {
		return a.all()
	}
	if c := replanned(after.Now().Plan, planned, now); c.Subject != "" {
		a.addPart(c)
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
		if !there || !sameWay(a.end.Sub(b.end), moved) || 2*a.end.Sub(b.end).Abs() < moved.Abs() {
			continue
		}
		if !found || a.end < after[first].end || a.end == after[first].end && earlier(key, first) {
			first, found = key, true
		}
	}
	if !found {
		return Change{}
	}
	if int(first.job) >= len(plan.Jobs) {
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

func earlier(a, b row) bool {
	if a.job != b.job {
		return a.job < b.job
	}
	if a.stage != b.stage {
		return a.stage < b.stage
	}
	return a.pause < b.pause
}

func sameWay(a, b time.Duration) bool { return a > 0 && b > 0 || a < 0 && b < 0 }

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
