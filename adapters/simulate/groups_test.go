package simulate

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

// Key groups are shown where they are measured, their bytes add up, and what an attempt has done only grows.
func TestGroups(t *testing.T) {
	checkRuns(t, func(t *rapid.T, p *dag.Plan, o Options, run []*dag.Snapshot) {
		truth := newSimulation(p, &o)
		for i, s := range run {
			for j := range s.Jobs {
				g, k := s.Jobs[j].Groups, truth.jobs[j].stages[dag.Reduce].keyed
				if (g != nil) != (k != nil && o.Groups != dag.GroupsNone && s.Jobs[j].Submitted.Known()) {
					t.Fatalf("at %d: job %d has groups: %v", s.At, j, g != nil)
				}
				if g == nil {
					continue
				}
				for n := range g.Reduces {
					soundGroups(t, s, j, n, k, &o)
					if i > 0 && run[i-1].Jobs[j].Groups != nil {
						grows(t, &run[i-1].Jobs[j].Groups.Reduces[n], &g.Reduces[n])
					}
				}
			}
		}
	})
}

func soundGroups(t *rapid.T, s *dag.Snapshot, j, n int, k *keyed, o *Options) {
	g, maps := s.Jobs[j].Groups, s.Plan.Jobs[j].Stages[dag.Map].Tasks
	r, truth := &g.Reduces[n], &k.reduces[n]
	if g.Maps > 0 && s.Plan.Jobs[j].Stages[dag.Map].Known {
		sum, named := r.Implicit, 0.0
		for _, size := range r.Explicit {
			sum, named = sum+size.Bytes*size.Count, named+size.Count
		}
		if want := truth.Bytes * float64(g.Maps) / float64(maps); math.Abs(sum-want) > 1e-9*want ||
			math.Abs(r.Bytes-want) > 1e-9*want {
			t.Fatalf("at %d: task %d is promised %v bytes, %v in groups and rest, want %v", s.At, n, r.Bytes, sum, want)
		}
		if o.Groups == dag.GroupsTapped && named > float64(cmp.Or(o.Lambda, DefaultLambda)) {
			t.Fatalf("at %d: %v groups of task %d are named of %d", s.At, named, n, cmp.Or(o.Lambda, DefaultLambda))
		}
	}
	a := slices.IndexFunc(s.Jobs[j].Stages[dag.Reduce].Attempts, func(a dag.Attempt) bool {
		return a.Task == int32(n) &&
			a.Number == r.Attempt
	})
	if r.Attempt < 0 {
		if len(r.Done) > 0 || r.OpenSince.Known() {
			t.Fatalf("groups of no attempt: %+v", r)
		}
		return
	}
	at := &s.Jobs[j].Stages[dag.Reduce].Attempts[a]
	bytes, took, count := 0.0, time.Duration(0), 0.0
	for i, p := range r.Done {
		if p.At > s.At || p.At < at.SortEnd || i > 0 && p.At < r.Done[i-1].At {
			t.Fatalf("at %d: point %d of %+v", s.At, i, r.Done)
		}
		bytes, took, count = bytes+p.Bytes*p.Count, took+time.Duration(float64(p.Took)*p.Count), count+p.Count
	}
	groups := 0.0
	for _, size := range truth.Explicit {
		groups += size.Count
	}
	if at.State == dag.AttemptSucceeded {
		if spent := at.End.Sub(at.SortEnd); math.Abs(bytes-truth.Bytes) > 1e-6*truth.Bytes || count != groups ||
			(took-spent).Abs() > 2*time.Millisecond {
			t.Fatalf("at %d: %v groups of %v, %v bytes of %v, %v of %v are done", s.At, count, groups, bytes,
				truth.Bytes, took, spent)
		}
	}
	if open := !math.IsNaN(r.OpenBytes); open != (at.State == dag.AttemptRunning && count < groups) &&
		o.Groups == dag.GroupsComplete || open != r.OpenSince.Known() {
		t.Fatalf("at %d: a group is open: %+v, %v of %v are done: %+v", s.At, r, count, groups, at)
	}
}

func grows(t *rapid.T, old, r *dag.ReduceGroups) {
	if old.Attempt > r.Attempt {
		t.Fatalf("attempt %d replaces attempt %d", r.Attempt, old.Attempt)
	}
	if old.Attempt == r.Attempt && (len(r.Done) < len(old.Done) || !slices.Equal(old.Done, r.Done[:len(old.Done)])) {
		t.Fatalf("%+v becomes %+v", old.Done, r.Done)
	}
}

// keyedPlan has one reduce of groups of 10, 20 and 1000 bytes, of which n bytes take n^2/1000 ms.
func keyedPlan() *dag.Plan {
	point := func(bytes float64) dag.GroupPoint {
		return dag.GroupPoint{Bytes: bytes, Took: millisOf(bytes * bytes / 1000), Count: 1}
	}
	r := dag.NoReduceGroups()
	r.Bytes, r.Implicit = 1000*10+150*20+2*1000, 0
	r.Explicit = []dag.GroupSize{{Bytes: 10, Count: 1000}, {Bytes: 20, Count: 150}, {Bytes: 1000, Count: 2}}
	r.Top, r.Done = []dag.KeyGroup{{Key: "#1", Bytes: 1000}}, []dag.GroupPoint{point(10), point(20), point(1000)}
	pipe := func(tuples, alpha float64) dag.Pipeline {
		return dag.Pipeline{Tuples: dag.Uniform(tuples), Alpha: dag.Uniform(alpha)}
	}
	return &dag.Plan{Cluster: dag.Cluster{MapSlots: 1, ReduceSlots: 1}, Jobs: []dag.Job{{
		Node: "j", Stages: dag.MapReduce(dag.Stage{Known: true, Tasks: 2, Pipelines: []dag.Pipeline{pipe(10, 100)}},
			dag.Stage{
				Known: true, Tasks: 1, Pipelines: []dag.Pipeline{pipe(0, 0), pipe(0, 0), pipe(1500, 999)},
				Groups: &dag.Groups{Origin: dag.GroupsComplete, Reduces: []dag.ReduceGroups{r}},
			}),
	}}}
}

func playKeyed(t *testing.T, o Options) []*dag.Snapshot {
	t.Helper()
	o.Every = 100 * time.Millisecond
	src, err := New(keyedPlan(), o)
	if err != nil {
		t.Fatal(err)
	}
	var run []*dag.Snapshot
	for {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return run
		}
		if err != nil {
			t.Fatal(err)
		}
		run = append(run, s)
	}
}

// A reduce takes what its groups take: 1000 of 0.1 ms, 150 of 0.4 ms, 2 of 1 s. Its records go with bytes, so that most
// are read in little time.
func TestGroupsAreTheWork(t *testing.T) {
	run := playKeyed(t, Options{Groups: dag.GroupsComplete})
	last := run[len(run)-1]
	a := last.Jobs[0].Stages[dag.Reduce].Attempts[0]
	if took := a.End.Sub(a.Start); took != 2160*time.Millisecond {
		t.Errorf("the reduce takes %v", took)
	}
	if n := len(last.Jobs[0].Groups.Reduces[0].Done); n != 1152 {
		t.Errorf("%d points", n)
	}
	slow, fast := 0, 0.0
	for i := 1; i < len(run); i++ {
		as, before := run[i].Jobs[0].Stages[dag.Reduce].Attempts, run[i-1].Jobs[0].Stages[dag.Reduce].Attempts
		if len(before) == 0 || as[0].State != dag.AttemptRunning {
			continue
		}
		read := as[0].Done[dag.Work] - before[0].Done[dag.Work]
		if read <= 11 { // 100 ms of a large group are 100 of 15,000 bytes
			slow++
		}
		fast = max(fast, read)
	}
	if slow < 17 || fast < 500 {
		t.Errorf("%d of 20 ticks are spent in large groups, and at most %v records are read in one", slow, fast)
	}
}

// A tap names the largest keys of the maps that have ended, and reports small groups in bursts of more than 100.
func TestTappedGroups(t *testing.T) {
	run := playKeyed(t, Options{Groups: dag.GroupsTapped, Lambda: 52})
	half := run[15].Jobs[0].Groups // at 1.5 s: one map of two
	if r := half.Reduces[0]; half.Maps != 1 || r.Bytes != 7500 || len(r.Explicit) != 2 ||
		r.Explicit[0] != (dag.GroupSize{Bytes: 10, Count: 50}) || r.Top[0].Bytes != 500 ||
		r.Implicit != 7500-50*10-2*500 {
		t.Errorf("after one map: %+v", half)
	}
	g := run[len(run)-1].Jobs[0].Groups.Reduces[0]
	bursts := map[dag.Instant]float64{}
	for _, p := range g.Done {
		if p.Bytes <= burstBytes {
			bursts[p.At] += p.Count
		}
	}
	full := 0
	for _, n := range bursts {
		if n > burstGroups+1 {
			t.Errorf("a burst of %v groups", n)
		}
		if n == burstGroups+1 {
			full++
		}
	}
	if full < 8 || g.Attempt != 0 {
		t.Errorf("%d full bursts: %v", full, bursts)
	}
	named := 0
	for _, s := range run {
		if g := s.Jobs[0].Groups; g != nil && g.Reduces[0].OpenKey == "#1" {
			named++
		}
	}
	if named != 0 {
		t.Errorf("one of two groups of the same size is named %d times", named)
	}
}

// Of groups of the same size only as many are named as a map may name.
func TestNamedOfMany(t *testing.T) {
	p := keyedPlan()
	reduce := &p.Jobs[0].Stages[dag.Reduce]
	same := dag.ReduceGroups{
		Bytes: 1000, Explicit: []dag.GroupSize{{Bytes: 10, Count: 100}},
		Done: reduce.Groups.Reduces[0].Done,
	}
	reduce.Tasks, reduce.Groups = 3, &dag.Groups{Reduces: []dag.ReduceGroups{same, same, same}}
	src, err := New(p, Options{Groups: dag.GroupsTapped, Lambda: 150})
	if err != nil {
		t.Fatal(err)
	}
	named := []float64{}
	for _, pr := range src.run.reduceInputs(0, 2) {
		n := 0.0
		for _, s := range pr.Explicit {
			n += s.Count
		}
		if named = append(named, n); pr.Implicit != 1000-10*n {
			t.Errorf("%v groups are named and %v bytes are not", n, pr.Implicit)
		}
	}
	if !slices.Equal(named, []float64{100, 50, 0}) {
		t.Errorf("%v groups are named", named)
	}
}

// The time of a size is the plan's, else it is interpolated.
func TestCurve(t *testing.T) {
	k := &keyed{curve: curve([]dag.GroupPoint{
		{Bytes: 10, Took: time.Second, Count: 1},
		{Bytes: 5, Took: time.Second, Count: 1},
		{Bytes: 10, Took: 4 * time.Second, Count: 2},
		{Bytes: 99},
	})}
	for bytes, want := range map[float64]float64{5: 1000, 10: 3000, 7.5: 2000, 2.5: 500, 20: 6000, 0: 0} {
		if got := k.ms(bytes); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v bytes take %v ms, want %v", bytes, got, want)
		}
	}
}

func TestGroupsRefused(t *testing.T) {
	many := keyedPlan()
	many.Jobs[0].Stages[dag.Reduce].Groups.Reduces[0].Explicit[0].Count = 2e6
	long := keyedPlan()
	long.Jobs[0].Stages[dag.Reduce].Groups.Reduces[0].Done[2].Took = 50 * 365 * 24 * time.Hour
	for _, c := range []struct {
		p    *dag.Plan
		o    Options
		want string
	}{
		{many, Options{}, "simulate: plan: 2000152 key groups are more than the 1000000 that can be played"},
		{long, Options{}, "simulate: plan: reduce task 0 of job j: its key groups take 3.15360000016e+12 ms, more than can be played"},
		{keyedPlan(), Options{Groups: 9}, "simulate: groups: origin unknown(9) is not from none to complete"},
		{keyedPlan(), Options{Lambda: -1}, "simulate: lambda: number -1 is not from 0 to 2147483647"},
	} {
		if _, err := New(c.p, c.o); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
