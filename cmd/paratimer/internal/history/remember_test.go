package history

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/dag"
)

func runIDs(w *state.Workflow) (out []string) {
	for _, r := range w.Runs {
		out = append(out, r.ID)
	}
	return out
}

// TestARunIsKeptOnce checks that of two watchers of a run the record with more observations stays, in any order.
func TestARunIsKeptOnce(t *testing.T) {
	store, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	whole, late := ran(t, "1", 10, nil), ran(t, "1", 10, nil)
	late.WatchedSeconds = 60
	for _, c := range []struct {
		run  state.Run
		want Outcome
	}{{late, Added}, {late, Known}, {whole, Replaced}, {late, Known}, {whole, Known}} {
		got, err := Remember(store, "a.pig", c.run, false)
		if err != nil || got != c.want {
			t.Errorf("Remember of a watch of %vs: %v, %v, want %v", c.run.WatchedSeconds, got, err, c.want)
		}
	}
	w, err := store.Read("a.pig")
	if err != nil || len(w.Runs) != 1 || w.Runs[0].WatchedSeconds != whole.WatchedSeconds {
		t.Errorf("%+v, %v", w, err)
	}
}

// TestReportedEndReplacesInferred checks that the event log of a run, or a watch to an end that was reported, replaces
// a watch that did not see how the run ended, however long that was, and that it is not replaced by one.
func TestReportedEndReplacesInferred(t *testing.T) {
	t.Parallel()
	reported, inferred, unknown := ran(t, "1", 10, nil), ran(t, "1", 10, nil), ran(t, "1", 10, nil)
	reported.WatchedSeconds, inferred.WatchedSeconds, unknown.WatchedSeconds = 193.6, 195, 238.9
	inferred.Inferred = true
	unknown.State, unknown.Excluded = dag.EndedUnconfirmed.String(), "its result is unknown"
	w := &state.Workflow{}
	for i, c := range []struct {
		run  state.Run
		want Outcome
	}{
		{unknown, Added}, {reported, Replaced}, {unknown, Known}, {inferred, Known}, {reported, Known},
	} {
		if got := put(w, c.run, true); got != c.want || len(w.Runs) != 1 {
			t.Errorf("%d: %v, want %v: %+v", i, got, c.want, w.Runs)
		}
	}
	w = &state.Workflow{Runs: []state.Run{inferred}}
	if got := put(w, reported, true); got != Replaced || w.Runs[0].Inferred {
		t.Errorf("%v: %+v", got, w.Runs)
	}
}

// TestOrder checks that a live run is the newest for any clocks, and that a recording goes to its place.
func TestOrder(t *testing.T) {
	w := &state.Workflow{}
	at := func(id string, hour int) state.Run {
		r := ran(t, id, 10, nil)
		r.StartedAt = time.Date(2026, 11, 20, hour, 0, 0, 0, time.UTC)
		return r
	}
	put(w, at("six", 6), false)
	put(w, at("eight", 8), false)
	put(w, at("seven, after the clock was set back", 7), false)
	put(w, at("five, recorded", 5), true)
	put(w, at("nine, recorded", 9), true)
	want := []string{"five, recorded", "six", "eight", "seven, after the clock was set back", "nine, recorded"}
	if got := runIDs(w); !slices.Equal(got, want) {
		t.Errorf("runs %q, want %q", got, want)
	}
}

// TestBounds checks that a workflow's file does not grow for ever, and that failures push no good run out.
func TestBounds(t *testing.T) {
	w := &state.Workflow{}
	for i := range 2 * maxRuns {
		put(w, ran(t, fmt.Sprint("good-", i), 10, plan("a.pig", float64(i), fmt.Sprint("good-", i), "GROUP_BY")), false)
	}
	for i := range 10 * maxFailed {
		put(w, failed(fmt.Sprint("bad-", i)), false)
	}
	if got := len(w.Runs); got != maxRuns+maxFailed {
		t.Fatalf("%d runs, want %d and %d", got, maxRuns, maxFailed)
	}
	if first, last := w.Runs[0].ID, w.Runs[len(w.Runs)-1].ID; first != "good-50" || last != "bad-99" {
		t.Errorf("from %s to %s", first, last)
	}
	line := Lines(w, "")[0]
	full := 0
	for i := range line {
		if p := line[i].plan; p != nil && !p.Jobs[0].Stages[dag.Map].Pipelines[0].Tuples.IsUniform() {
			full++
			if i < maxRuns-fullSizes {
				t.Errorf("run %d keeps each task's size", i)
			}
		}
	}
	if full != fullSizes {
		t.Errorf("%d runs keep each task's size, want %d", full, fullSizes)
	}
	p, n := line.Profile()
	if n != maxRuns || len(p.Residuals) != maxRuns {
		t.Errorf("a profile of %d runs with %d residuals: old runs keep theirs", n, len(p.Residuals))
	}
}

// TestAProfileOfVeryManyTasksIsKeptSmall in steps: the largest phases first, then all, and one that is still too large
// not at all.
func TestAProfileOfVeryManyTasksIsKeptSmall(t *testing.T) {
	tasks := func(n int, jobs int) *dag.Plan {
		p := plan("a.pig", 2, "1", slices.Repeat([]string{"GROUP_BY"}, jobs)...)
		for j := range p.Jobs {
			v := make([]float64, n)
			for i := range v {
				v[i] = float64(100_000 + i)
			}
			p.Jobs[j].Name = strings.Repeat("long", 50)
			p.Jobs[j].Stages[dag.Map].Tasks, p.Jobs[j].Stages[dag.Map].Extent,
				p.Jobs[j].Stages[dag.Map].Pipelines[0].Tuples = n, dag.Each(v), dag.Each(v)
		}
		return p
	}
	for _, c := range []struct {
		name        string
		tasks, jobs int
		word, kept  bool
	}{
		{"as it is", 5_000, 1, false, true},
		{"a million tasks", 1_000_000, 1, true, true},
		{"many phases", 4_000, 40, true, true},
		{"too many jobs", 1, 5_000, true, false},
	} {
		b, word, err := encode(tasks(c.tasks, c.jobs))
		if err != nil {
			t.Fatal(err)
		}
		if (word != "") != c.word || (len(b) > 0) != c.kept || len(b) > maxProfile {
			t.Errorf("%s: %d bytes, %q", c.name, len(b), word)
		}
	}
}

// TestWorkflowsAreBounded checks that names that never come again do not fill the folder.
func TestWorkflowsAreBounded(t *testing.T) {
	dir := t.TempDir()
	store, err := state.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxWorkflows {
		text := fmt.Sprintf(`{"version":1,"name":"foreign-%d"}`, i) // written by hand, so quickly
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)
	if _, err := Remember(store, "old.pig", ran(t, "1", 10, nil), false); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, file(t, "old.pig")), at, at); err != nil {
		t.Fatal(err)
	}
	if _, err := Remember(store, "new.pig", ran(t, "1", 10, nil), false); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"old.pig": 0, "new.pig": 1} {
		if w, err := store.Read(name); err != nil || len(w.Runs) != want {
			t.Errorf("%s: %d runs, %v, want %d", name, len(w.Runs), err, want)
		}
	}
}

// TestAttemptsAreRuns checks that runs of one id are two runs if one ended before the other began.
func TestAttemptsAreRuns(t *testing.T) {
	t.Parallel()
	first, second, again := ran(t, "1", 10, nil), ran(t, "1", 10, nil), ran(t, "1", 10, nil)
	for i, r := range []*state.Run{&first, &second, &again} {
		r.StartedAt = time.Unix(int64(1000*(1+i%2)), 0)
		r.EndedAt = r.StartedAt.Add(10 * time.Second)
	}
	w := &state.Workflow{}
	for i, c := range []struct {
		run  state.Run
		want Outcome
	}{{second, Added}, {first, Added}, {again, Known}} {
		if got := put(w, c.run, true); got != c.want {
			t.Errorf("%d: %v, want %v", i, got, c.want)
		}
	}
	if len(w.Runs) != 2 || !w.Runs[0].StartedAt.Before(w.Runs[1].StartedAt) {
		t.Errorf("%+v", w.Runs)
	}
}

// TestUnconfirmedRuns checks that a run without a result that lost only its last tasks is learned from, and one that
// lost more is not.
func TestUnconfirmedRuns(t *testing.T) {
	t.Parallel()
	for succeeded, want := range map[int]string{0: "its result is unknown", 17: "its result is unknown", 18: ""} {
		s := &dag.Snapshot{
			State: dag.EndedUnconfirmed,
			Plan:  &dag.Plan{Jobs: []dag.Job{{Stages: []dag.Stage{{Known: true, Tasks: 10}, {Known: true, Tasks: 10}}}}},
			Jobs:  []dag.JobState{{State: dag.EndedUnconfirmed, Stages: make([]dag.StageState, 2)}},
		}
		for i := range 20 {
			a := dag.BlankAttempt(int32(i%10), 0) //nolint:gosec // small
			if a.State = dag.AttemptKilled; i < succeeded {
				a.State = dag.AttemptSucceeded
			}
			of := &s.Jobs[0].Stages[i/10]
			of.Attempts = append(of.Attempts, a)
		}
		if got := excluded(dag.Run{}.Append(s), 60); got != want {
			t.Errorf("%d of 20 tasks succeeded: %q, want %q", succeeded, got, want)
		}
	}
}
