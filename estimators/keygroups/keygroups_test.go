package keygroups

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/nearestfit"
)

// TestLooks checks that parts end at an eighth of a second of groups, at a quarter, a half and so on. Shorter groups
// are in one part: their times are noise.
func TestLooks(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration][]int{
		125 * time.Millisecond: {0, 1, 2, 4, 8, 16, 32, 64},
		7 * time.Millisecond:   {0, 18, 36, 64},
	} {
		points := make([]nearestfit.Arrival, 64)
		for i := range points {
			points[i].GroupPoint = &dag.GroupPoint{Took: took, Count: 1}
		}
		if got := parts(points); !slices.Equal(got, want) {
			t.Errorf("groups of %v: cuts %v, want %v", took, got, want)
		}
	}
	if got := parts(nil); !slices.Equal(got, []int{0, 0}) {
		t.Errorf("cuts of nothing: %v", got)
	}
}

// With the groups of a profile those that ended before the first look are predicted too.
func TestJudgeWithProfile(t *testing.T) {
	t.Parallel()
	s := quadratic().at(35_000, dag.GroupsTapped)
	points, params := nearestfit.Arrivals(s.Groups), s.params()
	params.Pooled = true
	without := judge(points, 5, nil, params)
	all := s.profile(quadratic())
	with := judge(points, 5, all.curve(&dag.Groups{}, params), params)
	if took := points[0].Took.Seconds(); with.weight < without.weight+took/2 || with.logs >= without.logs {
		t.Errorf("with a profile %+v, without %+v", with, without)
	}
}

// A verdict rests on enough groups: on their time and on the number of batches.
func TestVerdictRestsOnEnough(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		v    verdict
		want bool
	}{
		{"seconds in batches", verdict{took: 4, batches: 4, groups: 8}, true},
		{"too few seconds", verdict{took: 3.9, batches: 9, groups: 8}, false},
		{"too few batches", verdict{took: 400, batches: 3, groups: 8}, false},
		{"many small groups", verdict{took: 2, batches: 2, groups: 200}, true},
		{"many groups that took no time", verdict{took: 1.9, batches: 9, groups: 9000}, false},
		{"many groups at one look", verdict{took: 9, batches: 1, groups: 9000}, false},
	} {
		if got := c.v.settled(1); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// NearestFit must be better by a margin, and there must be something to win.
func TestVerdictIsBetterByAMargin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		nearest, byJob, byTask float64 // of 100 s
		want                   bool
	}{
		{10, 20, 30, true},
		{17, 20, 30, false},
		{10, 30, 12, false}, // the task's line is nearly as good
		{0.5, 1.5, 1.5, false},
	} {
		v := verdict{took: 100, nearest: c.nearest, byJob: c.byJob, byTask: c.byTask}
		if got := v.better(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// reducerBegin is the instant at which all tasks begin to work.
const reducerBegin = dag.Instant(30_000)

// reducerNamed is the size, in bytes, from which on groups are reported individually.
const reducerNamed = 500

// A reducer is tasks with key groups of these sizes in bytes, in processing order. Cost is the time of a group.
type reducer struct {
	Sizes [][]float64
	Cost  func(bytes float64) time.Duration
}

// quadratic returns four tasks with groups of different sizes, 10 to 10,000 bytes; the third has the large ones.
func quadratic() reducer {
	r := rand.New(rand.NewPCG(1, 2))
	out := reducer{Cost: func(b float64) time.Duration {
		return time.Duration(b * b / 1000 * float64(time.Millisecond))
	}}
	for i := range 4 {
		var sizes []float64
		for range 60 {
			sizes = append(sizes, 10*math.Floor(math.Exp(r.Float64()*5)))
		}
		if i == 2 {
			sizes = append(sizes[:50:50], 7000, 9000, 2500, 1800, 10_000)
		}
		out.Sizes = append(out.Sizes, sizes)
	}
	return out
}

// End returns the instant at which a task ends.
func (t reducer) End(task int) dag.Instant {
	end := reducerBegin
	for _, b := range t.Sizes[task] {
		end = end.Add(t.Cost(b))
	}
	return end
}

// At returns the groups at an instant, as if ten maps had reported.
func (t reducer) At(now dag.Instant, origin dag.GroupOrigin) *dag.Groups {
	g := &dag.Groups{Origin: origin, Maps: 10}
	for _, sizes := range t.Sizes {
		r := dag.NoReduceGroups()
		r.Bytes, r.Implicit, r.Attempt = 0, 0, 0
		end := reducerBegin
		for _, b := range sizes {
			if r.Bytes += b; b >= reducerNamed {
				r.Explicit = append(r.Explicit, dag.GroupSize{Bytes: b, Count: 1})
			} else {
				r.Implicit += b
			}
			if end = end.Add(t.Cost(b)); end <= now {
				r.Done = append(r.Done, dag.GroupPoint{At: end, Bytes: b, Took: t.Cost(b), Count: 1})
			}
		}
		slices.SortFunc(r.Explicit, func(a, b dag.GroupSize) int { return int(a.Bytes - b.Bytes) })
		g.Reduces = append(g.Reduces, r)
	}
	return g
}

// linear is quadratic with time linear in bytes.
func linear() reducer {
	r := quadratic()
	r.Cost = func(b float64) time.Duration { return time.Duration(b * 3 * float64(time.Millisecond)) }
	return r
}

// larger is r with keys f times as large.
func (r reducer) larger(f float64) reducer {
	out := reducer{Cost: r.Cost}
	for _, sizes := range r.Sizes {
		scaled := make([]float64, len(sizes))
		for i := range sizes {
			scaled[i] = f * sizes[i]
		}
		out.Sizes = append(out.Sizes, scaled)
	}
	return out
}

// at is the stage at an instant.
func (r reducer) at(now dag.Instant, origin dag.GroupOrigin) Stage {
	s := Stage{Tasks: len(r.Sizes), Feeders: 10, Groups: r.At(now, origin)}
	bytes := make([]float64, s.Tasks)
	for i := range bytes {
		a := dag.Attempt{Task: int32(i), Start: reducerBegin, State: dag.AttemptRunning, End: dag.NoInstant}
		if end := r.End(i); now >= end {
			a.State, a.End = dag.AttemptSucceeded, end
		}
		s.Attempts, bytes[i] = append(s.Attempts, a), s.Groups.Reduces[i].Bytes
	}
	s.Bytes = dag.Each(bytes)
	return s
}

// whole is how long a task works.
func (r reducer) whole(task int) float64 { return float64(r.End(task) - reducerBegin) }

// profile gives a stage what a profile keeps of a run of r.
func (s Stage) profile(r reducer) Stage {
	then := r.at(400_000, dag.GroupsTapped)
	s.Profile, s.ProfileBytes = Learn(then.Groups, then.Attempts, then.Tasks, then.Feeders), then.Bytes
	return s
}

// left is what a task has left at an instant.
func (w *Work) left(task int, now dag.Instant) float64 {
	since := w.Since[task]
	if !since.Known() {
		since = now
	}
	return w.Left[task] - float64(now-since)
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s: %.0f, want %.0f ± %.0f", what, got, want, within)
	}
}
