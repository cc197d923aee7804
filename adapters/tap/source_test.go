package tap

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paratimer/paratimer/dag"
)

// A stage is a query of one job, observed every ten seconds. The cluster's clock is an hour behind the collector's.
type stage struct {
	t        *testing.T
	snap     dag.Snapshot
	store    *Store
	src      *Source
	clock    time.Time
	reported []string
}

func (s *stage) Next(context.Context) (*dag.Snapshot, error) {
	if s.snap.Plan == nil {
		return nil, io.EOF
	}
	snap := s.snap
	return &snap, nil
}

func cluster(t time.Time) dag.Instant { return dag.InstantOf(t.Add(-time.Hour)) }

// newStage returns a stage of some maps, none done, and two reduces that have not begun.
func newStage(t *testing.T, maps int, l Limits) *stage {
	s := &stage{t: t, store: NewStore(l), clock: noon}
	var o Options
	o.Now, o.Report = func() time.Time { return s.clock }, func(job string) { s.reported = append(s.reported, job) }
	s.src = NewSource(s, s.store, o)
	plan := &dag.Plan{Jobs: []dag.Job{
		{Node: "early", Stages: dag.MapReduce(dag.Stage{Known: true}, dag.Stage{})},
		{Node: "a", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: maps}, dag.Stage{Known: true, Tasks: 2})},
	}}
	s.snap = dag.Snapshot{
		Plan: plan, State: dag.Running,
		Jobs: []dag.JobState{
			{State: dag.Blocked, Stages: make([]dag.StageState, dag.MapReduceStages)},
			{ID: theJob, State: dag.Running, Stages: make([]dag.StageState, dag.MapReduceStages)},
		},
	}
	return s
}

// done has maps succeed from the first on, in their first attempts.
func (s *stage) done(maps int) {
	s.snap.Jobs = dag.CloneStates(s.snap.Jobs)
	var out []dag.Attempt
	for i := range maps {
		out = append(out, dag.Attempt{Task: int32(i), State: dag.AttemptSucceeded})
	}
	s.snap.Jobs[1].Stages[dag.Map].Attempts = out
}

// reduces are the attempts of reduces.
func (s *stage) reduces(attempts ...dag.Attempt) {
	s.snap.Jobs = dag.CloneStates(s.snap.Jobs)
	s.snap.Jobs[1].Stages[dag.Reduce].Attempts = attempts
}

func (s *stage) take(batches ...*Batch) {
	s.t.Helper()
	for _, b := range batches {
		if err := s.store.Take(b, s.clock); err != nil {
			s.t.Fatal(err)
		}
	}
}

// observe returns the key groups ten seconds later.
func (s *stage) observe() *dag.Groups {
	s.t.Helper()
	s.clock = s.clock.Add(10 * time.Second)
	s.snap.At = cluster(s.clock)
	before := dag.CloneStates(s.snap.Jobs)
	snap, err := s.src.Next(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff(before, s.snap.Jobs, nan); diff != "" {
		s.t.Fatalf("the source's own snapshot was changed: %s", diff)
	}
	if snap.Jobs[0].Groups != nil {
		s.t.Fatal("an unknown job has groups")
	}
	return snap.Jobs[1].Groups
}

var nan = cmpopts.EquateNaNs()

func attemptAt(task, number int32, state dag.AttemptState, start time.Time) dag.Attempt {
	return dag.Attempt{
		Task: task, Number: number, State: state, Start: cluster(start), End: dag.NoInstant,
		CopyEnd: dag.NoInstant, Bytes: math.NaN(),
	}
}

// TestMapOutput checks that reports of maps become sizes, largest names and the rest, and that bytes are conserved.
func TestMapOutput(t *testing.T) {
	s := newStage(t, 2, Limits{})
	if g := s.observe(); g != nil {
		t.Fatalf("groups of nothing: %+v", g)
	}
	s.done(2)
	s.take(mapBatch(theJob, 0, 0, 50, 8, 3, 8), mapBatch(theJob, 1, 0, 50, 9, 97, 7, 3))
	got := s.observe()
	one, two := dag.NoReduceGroups(), dag.NoReduceGroups()
	one.Bytes, one.Implicit = 406, 203
	one.Explicit = []dag.GroupSize{{Bytes: 3, Count: 1}, {Bytes: 100, Count: 2}}
	one.Top = []dag.KeyGroup{{Key: "k0", Bytes: 100}, {Key: "k2", Bytes: 100}, {Key: "k4", Bytes: 3}}
	two.Bytes, two.Implicit = 64, 32
	two.Explicit = []dag.GroupSize{{Bytes: 15, Count: 1}, {Bytes: 17, Count: 1}}
	two.Top = []dag.KeyGroup{{Key: "k1", Bytes: 17}, {Key: "k3", Bytes: 15}}
	want := &dag.Groups{Origin: dag.GroupsTapped, Maps: 2, Reduces: []dag.ReduceGroups{one, two}}
	if diff := cmp.Diff(want, got, nan); diff != "" {
		t.Error(diff)
	}
	if again := s.observe(); again != got {
		t.Error("what has not changed is not shared")
	}
	if !slices.Equal(s.reported, []string{theJob}) {
		t.Errorf("reported %v", s.reported)
	}
}

// TestMapOutputBounded: λ and the capacity bound what is known one by one, and not the bytes.
func TestMapOutputBounded(t *testing.T) {
	s := newStage(t, 2, Limits{Lambda: 3, Capacity: 4})
	s.done(2)
	s.take(mapBatch(theJob, 0, 0, 50, 8, 7, 6), mapBatch(theJob, 1, 0, 1, 2, 30, 40, 50))
	n := 0.0
	for i, r := range s.observe().Reduces {
		sum := r.Implicit
		for _, e := range r.Explicit {
			sum, n = sum+e.Bytes*e.Count, n+e.Count
		}
		if want := []float64{2 * (50 + 7 + 1 + 30 + 50), 2 * (8 + 6 + 2 + 40)}[i]; r.Bytes != want || sum != want {
			t.Errorf("reduce %d: %v bytes, its parts %v, want %v", i, r.Bytes, sum, want)
		}
	}
	if n == 0 || n > 4 {
		t.Errorf("%v keys are known one by one", n)
	}
}

// TestComplete checks that sizes are exact if every map reported every key.
func TestComplete(t *testing.T) {
	whole := func(task int, sizes ...float64) *Batch {
		b := mapBatch(theJob, task, 0, sizes...)
		b.Map.Complete = true
		for i := range b.Map.Bytes {
			b.Map.Bytes[i] /= 2
		}
		return b
	}
	s := newStage(t, 2, Limits{})
	s.done(1)
	s.take(whole(0, 5, 6))
	if g := s.observe(); g.Origin != dag.GroupsTapped || g.Maps != 1 {
		t.Errorf("while a map runs: %+v", g)
	}
	s.take(whole(1, 5, 6))
	s.done(2)
	if g := s.observe(); g.Origin != dag.GroupsComplete || g.Reduces[0].Implicit != 0 || g.Maps != 2 {
		t.Errorf("%+v", g)
	}
	// One map's profile is only the top of its keys.
	s = newStage(t, 2, Limits{})
	s.done(2)
	s.take(whole(0, 5, 6), mapBatch(theJob, 1, 0, 5, 6))
	if g := s.observe(); g.Origin != dag.GroupsTapped {
		t.Errorf("%+v", g)
	}
	// More keys than are counted.
	s = newStage(t, 2, Limits{Lambda: 10, Capacity: 3})
	s.done(2)
	s.take(whole(0, 5, 6, 7), whole(1, 5, 6, 7, 8))
	if g := s.observe(); g.Origin != dag.GroupsTapped {
		t.Errorf("%+v", g)
	}
}

// TestDue: profiles are joined anew for every twentieth of the maps, and when all are in.
func TestDue(t *testing.T) {
	s := newStage(t, 100, Limits{})
	made, last := 0, (*dag.Groups)(nil)
	for i := range 100 {
		s.done(i + 1)
		s.take(mapBatch(theJob, i, 0, 10, 20))
		if g := s.observe(); g != nil && (last == nil || g.Maps != last.Maps) {
			made++
			last = g
		}
	}
	if made != 20 || last.Maps != 100 || last.Reduces[0].Bytes != 2000 {
		t.Errorf("made %d times; at the end of %d maps, %v", made, last.Maps, last.Reduces[0])
	}
}

// TestLostProfiles: some maps' profiles never came: bytes come from counters, once a reduce has copied all, and Note
// says so.
func TestLostProfiles(t *testing.T) {
	s := newStage(t, 4, Limits{})
	s.done(4)
	s.take(mapBatch(theJob, 0, 0, 100, 10), mapBatch(theJob, 1, 0, 100, 10), mapBatch(theJob, 3, 0, 100, 10))
	s.reduces(attemptAt(0, 0, dag.AttemptRunning, s.clock), attemptAt(1, 0, dag.AttemptRunning, s.clock))
	g := s.observe()
	if g.Note != "1 of 4 maps have not reported their keys" || g.Maps != 3 || !math.IsNaN(g.Reduces[0].Bytes) ||
		!math.IsNaN(g.Reduces[0].Implicit) {
		t.Errorf("before the copies' end: %+v", g)
	}
	if e := g.Reduces[0].Explicit; len(e) != 1 || e[0].Bytes != 300 {
		t.Errorf("a reported profile is gone: %+v", e)
	}
	a, b := attemptAt(0, 0, dag.AttemptRunning, s.clock), attemptAt(1, 0, dag.AttemptRunning, s.clock)
	a.CopyEnd, a.Bytes = cluster(s.clock), 770
	b.CopyEnd, b.Bytes = cluster(s.clock), 1e6 // counts much that is neither key nor value
	s.reduces(a, b)
	g = s.observe()
	if r := g.Reduces[0]; r.Bytes != 770 || r.Implicit != 470 {
		t.Errorf("after its copy's end: %+v", r)
	}
	if r := g.Reduces[1]; r.Bytes != 80 || r.Implicit != 50 {
		t.Errorf("with counters that are far off: %+v", r)
	}
}

// TestSilent: taps without a profile report the reason, and what reduces do counts all the same.
func TestSilent(t *testing.T) {
	s := newStage(t, 1, Limits{})
	s.done(1)
	s.take(checked(&Batch{
		Job: theJob, Attempt: idOf(theJob, "m", 0, 0), Final: true,
		Note: "no promises: a combiner runs after the tap",
	}))
	a := attemptAt(0, 0, dag.AttemptRunning, s.clock)
	a.CopyEnd, a.Bytes = cluster(s.clock), 500
	s.reduces(a)
	s.take(reduceBatch(theJob, 0, 0, 0, 7))
	g := s.observe()
	if g.Note != "no promises: a combiner runs after the tap" || g.Maps != 0 || g.Origin != dag.GroupsTapped {
		t.Errorf("%+v", g)
	}
	if r := g.Reduces[0]; r.Bytes != 500 || r.Implicit != 500 || r.Explicit != nil || len(r.Done) != 1 {
		t.Errorf("%+v", r)
	}
	// One map of several could not be measured.
	s = newStage(t, 2, Limits{})
	s.done(2)
	s.take(mapBatch(theJob, 0, 0, 1), checked(&Batch{
		Job: theJob, Attempt: idOf(theJob, "m", 1, 0),
		Final: true, Note: "its memory was short",
	}))
	if g := s.observe(); g.Note != "1 of 2 maps have not reported their keys: its memory was short" || g.Maps != 1 {
		t.Errorf("%+v", g)
	}
	// Maps of another number of reduces are not this job's.
	s = newStage(t, 1, Limits{})
	s.done(1)
	b := mapBatch(theJob, 0, 0, 1)
	b.Map.Reduces, b.Map.Bytes = 3, []float64{2, 0, 0}
	s.take(b)
	if g := s.observe(); !strings.Contains(g.Note, "the maps report 3 reduces, the job has 2") ||
		!math.IsNaN(g.Reduces[0].Bytes) {
		t.Errorf("%+v", g)
	}
}

// TestOver: the groups of a job that has ended stay as they are, and take no memory of the store.
func TestOver(t *testing.T) {
	s := newStage(t, 1, Limits{})
	s.done(1)
	s.take(mapBatch(theJob, 0, 0, 10))
	s.snap.Jobs[1].State = dag.Succeeded
	g := s.observe()
	if g == nil || g.Maps != 1 {
		t.Fatalf("%+v", g)
	}
	if s.observe() != g {
		t.Error("got other groups after the end")
	}
	if c := s.store.Counts(); c.Bytes != 0 || c.Jobs != 0 || c.Orphans != 0 {
		t.Errorf("%+v", c)
	}
	if err := s.store.Take(mapBatch(theJob, 0, 1, 10), noon); err == nil {
		t.Error("what comes after the end is kept")
	}
	s.snap.Plan = nil
	if _, err := s.src.Next(t.Context()); err != io.EOF { //nolint:errorlint // handed on as it is
		t.Error(err)
	}
}

// TestMapRunsAgain: the first profile of a map counts, and stays if the map has to run again.
func TestMapRunsAgain(t *testing.T) {
	s := newStage(t, 2, Limits{})
	s.take(mapBatch(theJob, 0, 0, 10), mapBatch(theJob, 1, 0, 10))
	s.done(2)
	g := s.observe()
	before := s.store.Counts().Bytes
	s.take(mapBatch(theJob, 1, 1, 99, 99, 99))
	if again := s.observe(); again != g || s.store.Counts().Bytes != before {
		t.Errorf("a profile that comes later counts: %d bytes, %+v", before, again)
	}
	s.done(1) // the other one's output is lost
	if again := s.observe(); again != g {
		t.Errorf("a map that runs again: %+v", again)
	}
}

// TestClose: a job that is no longer watched is an orphan, and can be watched again.
func TestClose(t *testing.T) {
	s := newStage(t, 1, Limits{})
	s.done(1)
	s.take(mapBatch(theJob, 0, 0, 10))
	g := s.observe()
	s.src.Close()
	if c := s.store.Counts(); c.Orphans != 1 || c.Jobs != 0 {
		t.Errorf("%+v", c)
	}
	s.src = NewSource(s, s.store, Options{Now: func() time.Time { return s.clock }})
	if again := s.observe(); again == nil || again.Maps != g.Maps {
		t.Errorf("%+v", again)
	}
}

// TestRecordedGroups: groups of a recorded snapshot go on where the taps report nothing.
func TestRecordedGroups(t *testing.T) {
	s := newStage(t, 1, Limits{})
	r := dag.NoReduceGroups()
	r.Attempt, r.Bytes, r.Implicit = 0, 40, 40
	r.Done = []dag.GroupPoint{{At: 1, Bytes: 4, Took: time.Second, Count: 1}}
	inner := &dag.Groups{Origin: dag.GroupsTapped, Reduces: []dag.ReduceGroups{r, r}}
	s.snap.Jobs[1].Groups = inner
	if g := s.observe(); g != inner {
		t.Errorf("without a tap: %+v", g)
	}
	s.done(1)
	s.take(mapBatch(theJob, 0, 0, 10), reduceBatch(theJob, 1, 0, 0, 1, 2, 3))
	s.reduces(attemptAt(1, 0, dag.AttemptRunning, noon))
	g := s.observe()
	if g.Origin != dag.GroupsTapped || len(g.Reduces[0].Done) != 1 || len(g.Reduces[1].Done) != 3 ||
		g.Reduces[0].Bytes != 20 {
		t.Errorf("%+v", g)
	}
}

// TestTooMany: groups that no tape can hold are left out, and reported.
func TestTooMany(t *testing.T) {
	s := newStage(t, 1, Limits{})
	big := make([]dag.GroupSize, maxSize+1)
	s.snap.Jobs[1].Groups = &dag.Groups{Origin: dag.GroupsTapped, Reduces: []dag.ReduceGroups{{Explicit: big}}}
	s.take(reduceBatch(theJob, 0, 0, 0, 1))
	s.snap.Plan.Jobs[1].Stages[dag.Reduce].Tasks = 1
	snap, err := s.src.Next(t.Context())
	if err != nil || len(snap.Warnings) != 1 || snap.Jobs[1].Groups != s.snap.Jobs[1].Groups {
		t.Errorf("%v, %v", snap.Warnings, err)
	}
}

// BenchmarkMapOutput joins 1,000 maps of 2,000 keys.
func BenchmarkMapOutput(b *testing.B) {
	var all []*Batch
	for i := range 1000 {
		m := &MapProfile{Reduces: 10, Bytes: make([]float64, 10), Lambda: 2000}
		for k := range 2000 {
			m.Top = append(m.Top, Key{
				Name: fmt.Sprintf("#%016x", (k*(1+i%7))%9973), Reduce: k % 10,
				Bytes: float64(2000 - k),
			})
		}
		all = append(all, &Batch{Map: m})
	}
	l := NewStore(Limits{}).limits
	for b.Loop() {
		j := &job{maps: map[int32]bool{}}
		for i, m := range all {
			j.takeMap(m, int32(i), l)
		}
		j.join()
	}
}

// TestConcurrent adds batches while several sources read, for the race detector.
func TestConcurrent(t *testing.T) {
	store := NewStore(Limits{})
	stages := []*stage{newStage(t, 60, Limits{}), newStage(t, 60, Limits{})}
	for _, s := range stages {
		s.store = store
		s.src = NewSource(s, store, Options{Now: func() time.Time { return s.clock }})
		s.done(60)
	}
	var all sync.WaitGroup
	for k := range 4 {
		all.Go(func() {
			for i := range 60 {
				_ = store.Take(mapBatch(theJob, i, k, 10, 20, 30), noon)
				_ = store.Take(reduceBatch(theJob, i%2, k%2, i, 1, 2, 3), noon)
			}
		})
	}
	for _, s := range stages {
		all.Go(func() {
			for range 50 {
				s.observe()
			}
		})
	}
	all.Wait()
	for _, s := range stages {
		if g := s.observe(); g.Maps != 60 || g.Reduces[0].Bytes != 60*2*40 {
			t.Errorf("%d maps, %v bytes", g.Maps, g.Reduces[0].Bytes)
		}
	}
	if all := store.cost(); all != store.held || store.Counts().Taken != 480 {
		t.Errorf("%d bytes held, %d counted; %+v", all, store.held, store.Counts())
	}
}
