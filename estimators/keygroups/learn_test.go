package keygroups

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// learned is what a profile keeps of a stage, which must be valid in a plan.
func learned(t *testing.T, s Stage) *dag.Groups {
	t.Helper()
	g := Learn(s.Groups, s.Attempts, s.Tasks, s.Feeders)
	plan := &dag.Plan{Jobs: []dag.Job{{Node: "a", Stages: dag.MapReduce(dag.Stage{Tasks: s.Feeders, Known: true},
		dag.Stage{Tasks: s.Tasks, Known: true, Groups: g})}}}
	if err := dag.ValidateProfile(plan); err != nil {
		t.Fatal(err)
	}
	return g
}

// A profile has the sizes of all groups that were done, and what they took, by size and without instants.
func TestLearnGroups(t *testing.T) {
	t.Parallel()
	r := quadratic()
	s := r.at(400_000, dag.GroupsTapped)
	s.Groups.Reduces[2].Top = []dag.KeyGroup{{Key: "#1", Bytes: 10_000}, {Key: "#2", Bytes: math.NaN()}}
	g := learned(t, s)
	if g.Origin != dag.GroupsTapped || g.Maps != 10 || len(g.Reduces) != 4 {
		t.Fatalf("%+v", g)
	}
	for i, sizes := range r.Sizes {
		got, groups := &g.Reduces[i], 0.0
		for n, size := range got.Explicit {
			groups += size.Count
			d := got.Done[n]
			if d.At.Known() || d.Bytes != size.Bytes || d.Count != size.Count ||
				(d.Took-r.Cost(d.Bytes)).Abs() > r.Cost(d.Bytes)/100_000 {
				t.Errorf("task %d: %+v of %+v", i, d, size)
			}
		}
		bytes := 0.0
		for _, b := range sizes {
			bytes += b
		}
		if got.Bytes != bytes || got.Implicit != 0 || groups != float64(len(sizes)) || got.Attempt != -1 {
			t.Errorf("task %d: %v bytes of %v, %v groups of %d: %+v", i, got.Bytes, bytes, groups, len(sizes), got)
		}
	}
	if top := g.Reduces[2].Top; len(top) != 1 || top[0].Key != "#1" {
		t.Errorf("names %+v", top)
	}
}

// If not all was seen done, sizes are those that feeders reported; if these are incomplete too, only what was done is
// learned, and of a failed attempt nothing.
func TestLearnGroupsThatWereNotAllSeen(t *testing.T) {
	t.Parallel()
	r := quadratic()
	s := r.at(400_000, dag.GroupsTapped)
	reduces := s.Groups.Reduces
	reduces[1].Done = reduces[1].Done[:5]
	reduces[3].Attempt = 7
	s.Attempts[0].State = dag.AttemptFailed
	g := learned(t, s)
	if got := g.Reduces[1]; got.Bytes != reduces[1].Bytes || got.Implicit != reduces[1].Implicit || len(got.Done) == 0 {
		t.Errorf("some were done: %+v", got)
	}
	for _, task := range []int{0, 3} {
		if got := g.Reduces[task]; got.Bytes != reduces[task].Bytes || got.Done != nil {
			t.Errorf("what was done is a failed or another attempt's: %+v", got)
		}
	}
	s.Groups.Maps = 9
	g = learned(t, s)
	if got := g.Reduces[3]; !math.IsNaN(got.Bytes) || got.Explicit != nil {
		t.Errorf("a map is missing: %+v", got)
	}
	if got := g.Reduces[1]; math.IsNaN(got.Bytes) {
		t.Errorf("a map is missing, some were done: %+v", got)
	}
	s.Groups.Reduces = nil
	if g = learned(t, s); g != nil {
		t.Errorf("of nothing: %+v", g)
	}
}

// However many groups there were a profile has few, with the same bytes, groups and time, and the large ones as they
// were.
func TestLearnedGroupsAreFew(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 7, 600, 3000} {
		s := quadratic().at(400_000, dag.GroupsTapped)
		s.Tasks = n
		g := &dag.Groups{Origin: dag.GroupsTapped, Maps: 10}
		s.Attempts = nil
		bytes, took, count, largest := 0.0, 0.0, 0.0, 0.0
		for i := range n {
			r := dag.NoReduceGroups()
			r.Attempt = 0
			for range 20_000 / n {
				b := math.Floor(math.Exp(rng.Float64() * 15))
				d := dag.GroupPoint{At: 5, Bytes: b, Took: time.Duration(b * 1e6), Count: float64(1 + rng.IntN(3))}
				r.Done = append(r.Done, d)
				bytes, took, count = bytes+d.Bytes*d.Count, took+d.Took.Seconds()*d.Count, count+d.Count
				largest = max(largest, b)
			}
			r.Done = append(r.Done, dag.GroupPoint{Bytes: math.Inf(1), Count: 1}, dag.GroupPoint{
				Bytes: 1, Took: -1,
				Count: 1,
			}, dag.GroupPoint{Bytes: 1, Count: math.NaN()})
			for k := range 12 {
				r.Top = append(r.Top, dag.KeyGroup{Key: "#", Bytes: float64(1000 - k)})
			}
			g.Reduces = append(g.Reduces, r)
			s.Attempts = append(s.Attempts, dag.Attempt{Task: int32(i), State: dag.AttemptSucceeded})
		}
		s.Groups = g
		got := learned(t, s)
		sizes, points, names := 0, 0, 0
		var b, b2, took2, count2, largest2, counted float64
		for i := range got.Reduces {
			r := &got.Reduces[i]
			sizes, points, names = sizes+len(r.Explicit), points+len(r.Done), names+len(r.Top)
			b += r.Implicit
			task := r.Implicit
			for _, size := range r.Explicit {
				task += size.Bytes * size.Count
				b += size.Bytes * size.Count
				largest2 = max(largest2, size.Bytes)
				counted += size.Count
			}
			if math.Abs(task-r.Bytes) > 1e-5*r.Bytes {
				t.Errorf("%d reduces: sizes of %v bytes in a task of %v", n, task, r.Bytes)
			}
			for _, d := range r.Done {
				b2, took2, count2 = b2+d.Bytes*d.Count, took2+d.Took.Seconds()*d.Count, count2+d.Count
			}
		}
		if sizes > max(learnedPoints, 2*n) || points > learnedPoints || points < learnedPoints/2 ||
			names > learnedPoints {
			t.Errorf("%d reduces: %d sizes, %d points, %d names", n, sizes, points, names)
		}
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"bytes", b, bytes},
			{"bytes done", b2, bytes},
			{"time", took2, took},
			{"groups done", count2, count},
			{"the largest", largest2, largest},
		} {
			if math.Abs(c.got-c.want) > 1e-5*c.want {
				t.Errorf("%d reduces: %s %v, want %v", n, c.what, c.got, c.want)
			}
		}
		if n < learnedPoints/2 && counted != count {
			t.Errorf("%d reduces: %v groups have a size, want %v", n, counted, count)
		}
	}
}
