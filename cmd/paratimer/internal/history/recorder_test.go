package history

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// snapshots is a source that ends with io.EOF.
type snapshots = watch.Snapshots

// begin is when the runs of these tests begin; each takes ten seconds.
const begin = dag.Instant(1_000_000)

// aRun is a run of a script with one map, seen each second, that ends so.
func aRun(id string, p *dag.Plan, end dag.State) *snapshots {
	var out snapshots
	for t := begin; t <= begin+10_000; t += 1000 {
		attempt := dag.Attempt{State: dag.AttemptRunning, Start: begin + 2000, End: dag.NoInstant, Slot: -1, Node: -1}
		job := dag.JobState{
			ID: "job_1", State: dag.Running, Submitted: begin, Started: begin + 1000,
			Finished: dag.NoInstant, Stages: make([]dag.StageState, dag.MapReduceStages),
		}
		if t == begin+10_000 {
			job.State, job.Finished = end, t
			attempt.State, attempt.End, attempt.Done[0] = dag.AttemptSucceeded, t-1000, 100
		}
		job.Stages[dag.Map].Attempts = []dag.Attempt{attempt}
		s := &dag.Snapshot{
			Plan: p, At: t, ID: id, User: "alice", State: job.State, Jobs: []dag.JobState{job},
			Stale: dag.NoInstant,
		}
		out = append(out, s)
	}
	return &out
}

func script() *dag.Plan {
	p := plan("/etl/a.pig", 0, "", "GROUP_BY")
	p.Residuals = nil
	p.Jobs[0].SetStage(dag.Map, dag.Stage{Tasks: 1, Known: true})
	p.Jobs[0].MapReduce.MapMB = 1024
	return p
}

// rangeAt returns the estimate with the range at a time of a run.
func rangeAt(at time.Duration) estimators.Estimate {
	tick := estimators.TickOf(at, 0, estimators.Distribution{4 * time.Second, 5 * time.Second, 6 * time.Second})
	return estimators.Estimate{Tick: &tick}
}

// watched watches a run to its end and returns the profiles that it had last.
func watched(t *testing.T, r *Recorder, src watch.Source) (profiles []*dag.Plan) {
	t.Helper()
	for {
		s, err := src.Next(t.Context())
		if errors.Is(err, io.EOF) {
			r.Over()
			return profiles
		}
		if err != nil {
			t.Fatal(err)
		}
		if s.Plan != r.plan {
			r.consult(s)
			r.plan = s.Plan
		}
		profiles = r.profiles
		tick := frame.Tick{Snapshot: s}
		if !s.State.Ended() {
			tick.Answers.Sampled = rangeAt(s.At.Sub(begin))
		}
		if err := r.Show(tick); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARunTeachesTheNext(t *testing.T) {
	store, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var reported []string
	var usuals []time.Duration
	record := func(id string, end dag.State, profiles ...*dag.Plan) (*testing.T, *Recorder, watch.Source) {
		return t, &Recorder{
			Store: store, Given: profiles, Log: zerolog.Nop(),
			Report: func(s string) { reported = append(reported, s) },
			Known:  func(d time.Duration) { usuals = append(usuals, d) },
		}, aRun(id, script(), end)
	}
	_, first, src := record("w1", dag.Succeeded)
	if got := watched(t, first, src); len(got) != 0 {
		t.Errorf("the first run has %d profiles", len(got))
	}
	r := first.Ended
	if r == nil || r.Workflow != "a.pig" || r.Outcome != Added || r.Run.TotalSeconds != 10 ||
		r.Run.WatchedSeconds != 10 || r.Run.User != "alice" || r.Run.Script != "/etl/a.pig" {
		t.Fatalf("got the record %+v", r)
	}
	if got := watched(record("w2", dag.Failed)); len(got) != 1 || len(got[0].Residuals) < 3 {
		t.Errorf("the second run's profiles: %+v, want one with the residuals of 10, 50 and 90%% at least", got)
	}
	mine := script()
	if got := watched(record("w3", dag.Killed, mine)); len(got) != 2 || got[0] != mine {
		t.Errorf("the user's profile goes first: %d", len(got))
	}
	_, again, src := record("w1", dag.Succeeded)
	if got := watched(t, again, src); len(got) != 0 || again.Ended.Outcome != Known {
		t.Errorf("a run has %d profiles of itself, and is %q", len(got), again.Ended.Outcome)
	}
	want := []string{
		"using the profile of 1 run of a.pig, newest 1970-01-01",
		"using the profile of 1 run of a.pig, newest 1970-01-01 (1 left out: `paratimer history show a.pig` shows why)",
	}
	if strings.Join(reported, "\n") != strings.Join(want, "\n") {
		t.Errorf("reported %q, want %q", reported, want)
	}
	if len(usuals) != 4 || usuals[0] != 0 || usuals[1] != 10*time.Second || usuals[3] != 0 {
		t.Errorf("usual lengths %v", usuals)
	}
	w, err := store.Read(Key("PigLatin:a.pig"))
	if err != nil || len(w.Runs) != 3 || w.Runs[1].Excluded != "it failed" || w.Runs[2].Excluded != "it was killed" ||
		w.Runs[1].Profile != nil {
		t.Errorf("%+v, %v", w, err)
	}
	if d, n := Lines(w, "")[0].Usual(); d != 10*time.Second || n != 1 {
		t.Errorf("Usual = %v, %d", d, n)
	}
}

// TestARunThatIsNotOverIsNotRemembered: a recording that is cut off, a watch that is stopped.
func TestARunThatIsNotOverIsNotRemembered(t *testing.T) {
	dir := t.TempDir()
	store, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	cut := aRun("w1", script(), dag.Succeeded)
	*cut = (*cut)[:5]
	r := &Recorder{Store: store, Log: zerolog.Nop()}
	watched(t, r, cut)
	if names, err := store.List(); r.Ended != nil || len(names) != 0 || err != nil {
		t.Errorf("got the record %+v, %v, %v", r.Ended, names, err)
	}
}

// TestTroubleStopsNoWatch checks that read and write errors are logged, and the run is watched to its end.
func TestTroubleStopsNoWatch(t *testing.T) {
	for name, c := range map[string]struct {
		corrupt func(dir string) error
		warns   []string
	}{
		"a newer version's file": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, file(t, "a.pig")), []byte(`{"version":2}`), 0o600)
		}, []string{"version 2", "what is remembered of earlier runs cannot be used", "the run cannot be remembered"}},
		"the folder is missing": {os.RemoveAll, []string{"the run cannot be remembered"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			store, err := state.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.corrupt(dir); err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			r := &Recorder{Store: store, Log: zerolog.New(&log)}
			if got := watched(t, r, aRun("w1", script(), dag.Succeeded)); len(got) != 0 || r.Ended != nil {
				t.Errorf("got %d profiles, record %+v", len(got), r.Ended)
			}
			for _, want := range c.warns {
				if !strings.Contains(log.String(), want) {
					t.Errorf("no log line has %q:\n%s", want, &log)
				}
			}
			if n := strings.Count(log.String(), "\n"); n > 2 {
				t.Errorf("%d warnings:\n%s", n, &log)
			}
		})
	}
	r := &Recorder{Log: zerolog.Nop()}
	if watched(t, r, aRun("w1", script(), dag.Succeeded)); r.Ended != nil || len(r.ticks) != 0 {
		t.Error("got a record without a store")
	}
}

// file is the name of a workflow's file.
func file(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	store, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Remember(store, name, state.Run{ID: "w"}, false); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return filepath.Base(found[0])
}

// TestTooLargeTeachesNothing: of a run that was too large its source has no tasks, so that there is nothing to learn
// from it.
func TestTooLargeTeachesNothing(t *testing.T) {
	store, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	src := aRun("w1", script(), dag.Succeeded)
	for _, s := range (*src)[:len(*src)-1] {
		s.Warnings = []dag.Warning{{Code: dag.WarnTooLarge, Text: "too large to estimate"}}
	}
	r := &Recorder{Store: store, Log: zerolog.Nop()}
	watched(t, r, src)
	if r.Ended == nil || r.Ended.Run.Excluded != "it had too many tasks to be observed" || r.Ended.Run.Profile != nil {
		t.Errorf("%+v", r.Ended)
	}
}

// states is a source of one snapshot for each state of a job, all with one plan.
type states struct {
	plan *dag.Plan
	of   []dag.State
}

func (s *states) Next(context.Context) (*dag.Snapshot, error) {
	job := s.plan.BlockedJobs()
	job[0].State, job[0].Submitted = s.of[0], 1000
	out := &dag.Snapshot{Plan: s.plan, At: 2000, State: s.of[0], Jobs: job, Stale: dag.NoInstant}
	s.of = s.of[1:]
	return out, nil
}

// TestProfileStandsInUntilTheEnd: the jobs of the profile go when the only job of the plan has ended without showing
// the DAG, although the plan is the same.
func TestProfileStandsInUntilTheEnd(t *testing.T) {
	t.Parallel()
	jobs := func(names ...string) (all []dag.Job) {
		for _, name := range names {
			all = append(all, dag.Job{Node: name, Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})})
		}
		return all
	}
	p := &dag.Plan{Name: "a.pig", Jobs: jobs("j1", "j2", "j3")}
	p.Jobs[1].After, p.Jobs[2].After = []int{0}, []int{1}
	r := &Recorder{Given: []*dag.Plan{p}}
	source := r.Source(&states{&dag.Plan{Name: "a.pig", Jobs: jobs("j1")}, []dag.State{dag.Running, dag.Succeeded}})
	for _, want := range []int{3, 1} {
		s, err := source.Next(t.Context())
		if err != nil || len(s.Plan.Jobs) != want || len(s.Jobs) != want {
			t.Fatalf("%d jobs in the plan, %d states, %v: want %d", len(s.Plan.Jobs), len(s.Jobs), err, want)
		}
	}
}
