package tap

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// after is an instant of the collector's clock.
func after(s float64) time.Time { return noon.Add(seconds(s)) }

// TestStamp: the cluster's clock is an hour behind. Instants lie within the attempt, do not go back, and stay once
// shown.
func TestStamp(t *testing.T) {
	at := func(s float64) dag.Instant { return dag.InstantOf(after(s - 3600)) }
	a := attempt{seq: -1}
	take := func(seq int, ended ...float64) {
		b := Batch{Seq: seq}
		for _, s := range ended {
			b.Points = append(b.Points, Point{Age: 100 - s, Count: 1})
		}
		a.take(&b, after(100), maxPoints)
	}
	is := func(m moment, want ...dag.Instant) {
		t.Helper()
		var r dag.ReduceGroups
		a.show(&r, m)
		var got []dag.Instant
		for _, p := range r.Done {
			got = append(got, p.At)
		}
		if !slices.Equal(got, want) {
			t.Errorf("instants %v, want %v", got, want)
		}
	}
	take(0, -100, 5, 4)
	take(2, 8, 99)
	is(moment{after(10), at(10), at(2), at(100)}, at(2), at(5), at(5), at(8), at(10))
	take(3, 11)
	was := moment{after(12.5), at(12), at(2), at(100)} // the poll was slow
	is(was, at(2), at(5), at(5), at(8), at(10), at(10.5))
	take(1, 6, 9) // too late
	take(3, 11)   // came before
	take(4, 13)
	is(moment{after(20), at(20), at(2), at(11)}, at(2), at(5), at(5), at(8), at(10), at(10.5), at(11))
}

// TestCondense: bytes, time and count of all stay, and what snapshots have shown.
func TestCondense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a attempt
		for i := range rapid.IntRange(1, 300).Draw(t, "points") {
			a.points = append(a.points, dag.GroupPoint{
				At: dag.Instant(i), Bytes: rapid.Float64Range(0, 1e6).Draw(t, "bytes"),
				Took:  seconds(rapid.Float64Range(0, 100).Draw(t, "took")),
				Count: rapid.Float64Range(1, 1e4).Draw(t, "count"),
			})
		}
		a.shown = rapid.IntRange(0, len(a.points)).Draw(t, "shown")
		before, firstFresh := slices.Clone(a.points), dag.Instant(a.shown)
		shared := a.points
		most := rapid.IntRange(1, 200).Draw(t, "most")
		a.condense(most)
		if len(a.points) > max(most, 1) {
			t.Fatalf("%d points, want %d", len(a.points), most)
		}
		if !slices.Equal(shared, before) {
			t.Fatal("points that were handed out have changed")
		}
		sums := func(points []dag.GroupPoint) (bytes, took, count float64) {
			for _, p := range points {
				bytes, took, count = bytes+p.Bytes*p.Count, took+p.Took.Seconds()*p.Count, count+p.Count
			}
			return bytes, took, count
		}
		b, s, k := sums(before)
		b2, s2, k2 := sums(a.points)
		for _, x := range [][2]float64{{b, b2}, {s, s2}, {k, k2}} {
			if math.Abs(x[0]-x[1]) > 1e-6*max(1, x[0]) {
				t.Fatalf("%v became %v", x[0], x[1])
			}
		}
		for i, p := range a.points {
			if i > 0 && p.At <= a.points[i-1].At || (p.At < firstFresh) != (i < a.shown) {
				t.Fatalf("point %d of %d, %d of them shown: %+v", i, len(a.points), a.shown, p)
			}
		}
	})
}

// TestCondenseKeepsSizes: groups of the same size are joined before any other ones are.
func TestCondenseKeepsSizes(t *testing.T) {
	var a attempt
	for i := range 40 {
		a.points = append(a.points, dag.GroupPoint{
			At: dag.Instant(i), Bytes: float64(1000 + i%4), Took: time.Duration(i % 4), Count: 1,
		})
	}
	a.condense(10)
	if len(a.points) != 4 {
		t.Fatalf("%d points, want the 4 sizes", len(a.points))
	}
	for i, p := range a.points {
		want := dag.GroupPoint{At: dag.Instant(36 + i), Bytes: float64(1000 + i), Took: time.Duration(i), Count: 10}
		if p != want {
			t.Errorf("point %d: %+v, want %+v", i, p, want)
		}
	}
}

// FuzzDamagedSpool damages a spool. Whatever is taken of it can be looked at along a run.
func FuzzDamagedSpool(f *testing.F) {
	var spool [][]byte
	for _, b := range []*Batch{
		mapBatch(theJob, 0, 0, 50, 8, 3, 8), mapBatch(theJob, 1, 0, 50, 9, 97, 7, 3),
		reduceBatch(theJob, 0, 0, 0, 5, 100), reduceBatch(theJob, 0, 0, 1, 7),
		reduceBatch(theJob, 1, 0, 0, 50, 60),
	} {
		line, err := b.Encode()
		if err != nil {
			f.Fatal(err)
		}
		spool = append(spool, append(line, '\n'))
	}
	fixtures.FuzzDamaged(f, [][]byte{bytes.Join(spool, nil)}, func(t *testing.T, _ int, file []byte) {
		s := newStage(t, 2, Limits{})
		s.reduces(attemptAt(0, 0, dag.AttemptRunning, noon), attemptAt(1, 0, dag.AttemptRunning, noon))
		_ = ReadSpool(bytes.NewReader(file), s.store, noon)
		s.observe()
		s.done(2)
		if g := s.observe(); g != nil && len(g.Reduces) > 2 {
			t.Fatalf("groups of %d reduces of 2", len(g.Reduces))
		}
	})
}

// TestDone: groups are finished at their instants by the cluster's clock; only new ones are added to what was shown.
func TestDone(t *testing.T) {
	s := newStage(t, 1, Limits{})
	s.done(1)
	s.reduces(attemptAt(1, 0, dag.AttemptRunning, noon))
	s.take(mapBatch(theJob, 0, 0, 1, 100))
	b := reduceBatch(theJob, 1, 0, 0, 50, 60)
	b.Points[0].Age, b.Points[1].Age, b.Points[1].Count = 100, 2, 3
	b.Open = &Open{Name: "#00000000000000ff", Bytes: 9, Seconds: 1.5}
	s.clock = s.clock.Add(5 * time.Second)
	s.take(b)
	g := s.observe()
	r := g.Reduces[1]
	want := []dag.GroupPoint{
		{At: cluster(noon), Bytes: 50, Took: 50 * time.Millisecond, Count: 1}, // no earlier than the attempt's start
		{At: cluster(after(3)), Bytes: 60, Took: 60 * time.Millisecond, Count: 3},
	}
	if diff := cmp.Diff(want, r.Done); diff != "" || r.Attempt != 0 {
		t.Error(diff)
	}
	if r.OpenBytes != 9 || r.OpenKey != "#00000000000000ff" || r.OpenSince != cluster(after(3.5)) {
		t.Errorf("the open group: %+v", r)
	}
	if r := g.Reduces[0]; r.Attempt != -1 || r.Done != nil || r.OpenSince.Known() {
		t.Errorf("the other reduce: %+v", r)
	}
	if s.observe() != g {
		t.Error("what has not changed is not shared")
	}
	// The same group is still open, reported by a batch that took a second longer.
	b = reduceBatch(theJob, 1, 0, 1, 70)
	b.Open = &Open{Name: "#00000000000000ff", Bytes: 90, Seconds: 20.5}
	s.take(b)
	r = s.observe().Reduces[1]
	if r.OpenBytes != 90 || r.OpenSince != cluster(after(3.5)) {
		t.Errorf("the open group a batch later: %+v", r)
	}
	if len(r.Done) != 3 || r.Done[2].Bytes != 70 || r.Done[0] != want[0] {
		t.Errorf("%+v", r.Done)
	}
	if len(g.Reduces[1].Done) != 2 {
		t.Error("a snapshot that was handed out has changed")
	}
	b = reduceBatch(theJob, 1, 0, 2)
	b.Final = true
	s.take(b)
	if r := s.observe().Reduces[1]; r.OpenSince.Known() || r.OpenKey != "" || !math.IsNaN(r.OpenBytes) {
		t.Errorf("after the end: %+v", r)
	}
}

// TestAttempts: of several attempts of a reduce the one counts that the snapshot shows as succeeded, else the one that
// runs and has done most. Nothing is added up.
func TestAttempts(t *testing.T) {
	s := newStage(t, 0, Limits{})
	s.take(reduceBatch(theJob, 0, 0, 0, 500, 600), reduceBatch(theJob, 0, 1, 0, 400))
	is := func(when string, number int32, sizes ...float64) {
		t.Helper()
		r := s.observe().Reduces[0]
		var got []float64
		for _, p := range r.Done {
			got = append(got, p.Bytes)
		}
		if r.Attempt != number || !slices.Equal(got, sizes) {
			t.Errorf("%s: attempt %d, groups %v; want %d, %v", when, r.Attempt, got, number, sizes)
		}
	}
	run, end, kill := dag.AttemptRunning, dag.AttemptSucceeded, dag.AttemptKilled
	is("unknown attempts", 0, 500, 600)
	s.reduces(attemptAt(0, 0, run, noon))
	is("the first runs", 0, 500, 600)
	s.reduces(attemptAt(0, 0, run, noon), attemptAt(0, 1, run, noon))
	is("both run", 0, 500, 600)
	s.reduces(attemptAt(0, 0, kill, noon), attemptAt(0, 1, run, noon))
	is("the first was killed", 1, 400)
	s.reduces(attemptAt(0, 0, kill, noon), attemptAt(0, 1, dag.AttemptFailed, noon))
	is("both are gone", 0, 500, 600)
	s.take(reduceBatch(theJob, 0, 2, 0, 1, 2, 3))
	is("a third one has begun", 2, 1, 2, 3)
	s.reduces(attemptAt(0, 0, kill, noon), attemptAt(0, 1, run, noon), attemptAt(0, 2, run, noon))
	is("the second and the third run", 1, 400)
	s.take(reduceBatch(theJob, 0, 2, 1, 1000))
	is("the third has overtaken", 2, 1, 2, 3, 1000)
	s.reduces(attemptAt(0, 0, end, noon), attemptAt(0, 1, run, noon), attemptAt(0, 2, run, noon))
	is("the first succeeded", 0, 500, 600)
	s.reduces(attemptAt(0, 1000, run, noon)) // of a master that came again
	is("a new master, no attempt is known", -1)
}

// TestManyPoints: the points of an attempt with many are condensed, and replaced as a whole.
func TestManyPoints(t *testing.T) {
	s := newStage(t, 0, Limits{})
	s.store.points = 100
	sizes := func(n int) (out []float64) {
		for i := range n {
			out = append(out, float64(100+i%45))
		}
		return out
	}
	s.take(reduceBatch(theJob, 0, 0, 0, sizes(40)...))
	g := s.observe()
	s.take(reduceBatch(theJob, 0, 0, 1, sizes(70)...))
	r := s.observe().Reduces[0]
	count, last := 0.0, dag.NoInstant
	for _, p := range r.Done {
		count += p.Count
		if p.At < last {
			t.Errorf("%v comes after %v", p.At, last)
		}
		last = p.At
	}
	if len(r.Done) != 45 || count != 110 {
		t.Errorf("%d points of %v groups", len(r.Done), count)
	}
	if d := g.Reduces[0].Done; len(d) != 40 || d[39].Bytes != 139 || d[39].Count != 1 {
		t.Error("a snapshot that was handed out has changed")
	}
}

// TestLate: a tap sends its batches in order, so one that comes after a newer one is none of its.
func TestLate(t *testing.T) {
	s := newStage(t, 0, Limits{})
	s.take(reduceBatch(theJob, 0, 0, 0, 10), reduceBatch(theJob, 0, 0, 2, 30))
	g := s.observe()
	late := reduceBatch(theJob, 0, 0, 1, 20)
	late.Open = &Open{Name: "old", Bytes: 1, Seconds: 1}
	s.take(late, late)
	var sizes []float64
	last := dag.NoInstant
	r := s.observe().Reduces[0]
	if r.OpenKey != "" {
		t.Errorf("a late batch sets the open group: %s", r.OpenKey)
	}
	for _, p := range r.Done {
		sizes = append(sizes, p.Bytes)
		if p.At < last {
			t.Errorf("%v comes after %v", p.At, last)
		}
		last = p.At
	}
	if !slices.Equal(sizes, []float64{10, 30}) {
		t.Errorf("%v", sizes)
	}
	if len(g.Reduces[0].Done) != 2 || g.Reduces[0].Done[1].Bytes != 30 {
		t.Error("a snapshot that was handed out has changed")
	}
}

// BenchmarkNext is a tick of a job with 100 reduces that have done groups of 1,000 sizes each and report one more.
func BenchmarkNext(b *testing.B) {
	s := &stage{store: NewStore(Limits{}), clock: noon}
	s.store.watch(theJob)
	s.src = NewSource(s, s.store, Options{Now: func() time.Time { return s.clock }})
	plan := &dag.Plan{Jobs: []dag.Job{{Stages: dag.MapReduce(dag.Stage{}, dag.Stage{Known: true, Tasks: 100})}}}
	s.snap = dag.Snapshot{
		Plan: plan, State: dag.Running,
		Jobs: []dag.JobState{{ID: theJob, State: dag.Running, Stages: make([]dag.StageState, dag.MapReduceStages)}},
	}
	sizes := make([]float64, 1000)
	for i := range sizes {
		sizes[i] = float64(100 + i)
	}
	for i := range 100 {
		s.snap.Jobs[0].Stages[dag.Reduce].Attempts = append(s.snap.Jobs[0].Stages[dag.Reduce].Attempts,
			attemptAt(int32(i), 0, dag.AttemptRunning, noon))
		_ = s.store.Take(reduceBatch(theJob, i, 0, 0, sizes...), noon)
	}
	for n := 1; b.Loop(); n++ {
		for i := range 100 {
			_ = s.store.Take(&Batch{
				Job: theJob, Attempt: idOf(theJob, "r", i, 0), Seq: n,
				Points: []Point{{Bytes: 1, Count: 1}},
			}, s.clock)
		}
		s.clock = s.clock.Add(time.Second)
		s.snap.At = cluster(s.clock)
		if _, err := s.src.Next(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
