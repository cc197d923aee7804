package history

import (
	"fmt"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
)

// Finished returns the record of a run that has ended, from its snapshots and ranges. name is the workflow's. word
// describes what is left out of the record, if anything.
func Finished(run dag.Run, ticks []estimators.RangeTick) (name string, r state.Run, word string, err error) {
	s := run.Now()
	name = Key(s.Plan.Name)
	r = state.Run{ID: s.ID, State: s.State.String(), User: s.User, Script: s.Plan.Name, Inferred: s.Inferred}
	start, end := s.Origin(), s.LastEnd()
	if start.Known() {
		r.StartedAt = start.Time()
	}
	if end.Known() {
		r.EndedAt = end.Time()
	}
	if start.Known() && end.Known() && end > start {
		r.TotalSeconds = end.Seconds(start)
		r.WatchedSeconds = max(0, end.Seconds(max(start, run.Anchors[0].At)))
	}
	if r.ID == "" {
		r.ID = "started-" + r.StartedAt.UTC().Format(time.RFC3339)
	}
	r.Excluded = excluded(run, r.TotalSeconds)
	if r.Excluded != "" {
		return name, r, "", nil
	}
	plan := cost.Learn(run)
	plan.Residuals = estimators.Residuals(r.ID, ticks, time.Duration(r.TotalSeconds*float64(time.Second)))
	r.Profile, word, err = encode(plan)
	if err != nil {
		return name, r, "", fmt.Errorf("cannot make a profile of %s: %w", r.ID, err)
	}
	return name, r, word, nil
}

// excluded returns why nothing can be learned from a run; "" if it can.
func excluded(run dag.Run, total float64) string {
	switch s := run.Now(); {
	case s.State == dag.Failed:
		return "it failed"
	case s.State == dag.Killed:
		return "it was killed"
	case s.State != dag.Succeeded && !nearEnd(s):
		return "its result is unknown"
	case total <= 0:
		return "its length is unknown"
	case slices.ContainsFunc(run.Window, func(s *dag.Snapshot) bool { return dag.TooLarge(s.Warnings) }):
		return "it had too many tasks to be observed"
	}
	return ""
}

// nearEnd reports whether nine of ten known tasks of a run have succeeded. Most Spark drivers close their page with
// their last job: its end is then never observed, although almost all of the run was.
func nearEnd(s *dag.Snapshot) bool {
	tasks, succeeded := 0, 0
	for j := range s.Jobs {
		if s.Jobs[j].State == dag.Failed {
			return false
		}
		for k := range s.Jobs[j].Stages {
			tasks += s.Plan.Jobs[j].Stages[k].Count()
			succeeded += s.Jobs[j].Stages[k].Succeeded()
		}
	}
	return tasks > 0 && 10*succeeded >= 9*tasks
}

// An Outcome is the result of Remember.
type Outcome string

// The outcomes.
const (
	Added    Outcome = "added"
	Replaced Outcome = "replaced" // it was known, and this record has a reported end or a longer watch
	Known    Outcome = "known already"
)

// Remember stores a run with the workflow's other runs, only once: a record with a reported end replaces one with
// an inferred end, else the longer watch replaces the shorter. The run is stored as the newest, whatever clocks
// show; a recording of a past run is inserted by its start.
func Remember(store *state.Store, name string, r state.Run, past bool) (Outcome, error) {
	outcome, first := Added, false
	err := store.Update(name, func(w *state.Workflow) error {
		first = len(w.Runs) == 0
		outcome = put(w, r, past)
		return nil
	})
	if err == nil && first {
		err = store.Trim(maxWorkflows)
	}
	return outcome, err
}

func put(w *state.Workflow, r state.Run, past bool) Outcome {
	defer bound(w)
	before := func(a, b *state.Run) bool { return !a.EndedAt.IsZero() && a.EndedAt.Before(b.StartedAt) }
	at := slices.IndexFunc(w.Runs, func(o state.Run) bool { // attempts of an application may share an id
		return o.ID == r.ID && !before(&o, &r) && !before(&r, &o)
	})
	if at >= 0 {
		old := &w.Runs[at]
		if worse := inferred(&r) && !inferred(old); worse ||
			inferred(&r) == inferred(old) && r.WatchedSeconds <= old.WatchedSeconds {
			return Known
		}
		w.Runs[at] = r
		return Replaced
	}
	at = len(w.Runs)
	for past && at > 0 && w.Runs[at-1].StartedAt.After(r.StartedAt) {
		at--
	}
	w.Runs = slices.Insert(w.Runs, at, r)
	return Added
}

// inferred reports whether nothing reported the end of a run. Records in older files have only its state.
func inferred(r *state.Run) bool { return r.Inferred || r.State == dag.EndedUnconfirmed.String() }
