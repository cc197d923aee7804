package observed

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// learned is what is learned of r's run once all is over.
func learned(t *testing.T, s *dag.Snapshot) *dag.Groups {
	t.Helper()
	p := Learn(runOf(s))
	if err := dag.ValidateProfile(p); err != nil {
		t.Fatal(err)
	}
	return p.Jobs[0].Stages[dag.Reduce].Groups
}

// A run teaches the sizes of all groups that it has done, and what they took, by size and without instants.
func TestLearnGroups(t *testing.T) {
	r := quadratic()
	s := r.at(400_000, dag.GroupsTapped)
	s.Jobs[0].Groups.Reduces[2].Top = []dag.KeyGroup{{Key: "#1", Bytes: 10_000}, {Key: "#2", Bytes: math.NaN()}}
	g := learned(t, s)
	if g.Origin != dag.GroupsTapped || g.Maps != 10 || len(g.Reduces) != 4 {
		t.Fatalf("%+v", g)
	}
	for i, sizes := range r.sizes {
		got, groups := &g.Reduces[i], 0.0
		for n, size := range got.Explicit {
			groups += size.Count
			d := got.Done[n]
			if d.At.Known() || d.Bytes != size.Bytes || d.Count != size.Count ||
				(d.Took-r.cost(d.Bytes)).Abs() > r.cost(d.Bytes)/100_000 {
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

// Where not all was seen done, sizes are what the maps promised; where neither is whole, nothing of sizes is learned,
// and of a failed attempt nothing at all.
func TestLearnGroupsThatWereNotAllSeen(t *testing.T) {
	r := quadratic()
	s := r.at(400_000, dag.GroupsTapped)
	reduces := s.Jobs[0].Groups.Reduces
	reduces[1].Done = reduces[1].Done[:5]
	reduces[3].Attempt = 7
	s.Jobs[0].Stages[dag.Reduce].Attempts[0].State = dag.AttemptFailed
	g := learned(t, s)
	if got := g.Reduces[1]; got.Bytes != reduces[1].Bytes || got.Implicit != reduces[1].Implicit || len(got.Done) == 0 {
		t.Errorf("some were done: %+v", got)
	}
	for _, task := range []int{0, 3} {
		if got := g.Reduces[task]; got.Bytes != reduces[task].Bytes || got.Done != nil {
			t.Errorf("what was done is a failed or another attempt's: %+v", got)
		}
	}
	s.Jobs[0].Groups.Maps = 9
	g = learned(t, s)
	if got := g.Reduces[3]; !math.IsNaN(got.Bytes) || got.Explicit != nil {
		t.Errorf("a map is missing: %+v", got)
	}
	if got := g.Reduces[1]; math.IsNaN(got.Bytes) {
		t.Errorf("a map is missing, some were done: %+v", got)
	}
	s.Jobs[0].Groups.Reduces = nil
	if g = learned(t, s); g != nil {
		t.Errorf("of nothing: %+v", g)
	}
}

// However many groups there were, and whatever was told of them, a profile has few, with the same bytes, groups and
// time, and the large ones as they were.
func TestLearnedGroupsAreFew(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 7, 600, 3000} {
		s := quadratic().at(400_000, dag.GroupsTapped)
		s.Plan.Jobs[0].Stages[dag.Reduce].Tasks = n
		g := &dag.Groups{Origin: dag.GroupsTapped, Maps: 10}
		s.Jobs[0].Stages[dag.Reduce].Attempts = nil
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
			a := reduceAttempt(int32(i), 0, 1, dag.Mark{At: 31_000, Done: 1}, dag.Mark{At: 31_000, Done: 1})
			a.State, a.End = dag.AttemptSucceeded, 300_000
			s.Jobs[0].Stages[dag.Reduce].Attempts = append(s.Jobs[0].Stages[dag.Reduce].Attempts, a)
		}
		s.Jobs[0].Groups = g
		got := learned(t, s)
		sizes, points, names := 0, 0, 0
		var b, b2, took2, count2, largest2, counted float64
		for i := range got.Reduces {
			r := &got.Reduces[i]
			sizes, points, names = sizes+len(r.Explicit), points+len(r.Done), names+len(r.Top)
			b += r.Implicit + bytesOf(r.Explicit)
			for _, size := range r.Explicit {
				largest2 = max(largest2, size.Bytes)
				counted += size.Count
			}
			for _, d := range r.Done {
				b2, took2, count2 = b2+d.Bytes*d.Count, took2+d.Took.Seconds()*d.Count, count2+d.Count
			}
		}
		if sizes > learnedSizes || points > learnedPoints || names > learnedNames || points < learnedPoints/2 {
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
		if n < learnedSizes/2 && counted != count {
			t.Errorf("%d reduces: %v groups have a size, want %v", n, counted, count)
		}
	}
}

// Means have no key groups: these are as many as tasks.
func TestSummaryLeavesGroupsOut(t *testing.T) {
	p := Learn(runOf(quadratic().at(400_000, dag.GroupsTapped)))
	if s, short := profiles.Summary(p, 3); !short || s.Jobs[0].Stages[dag.Reduce].Groups != nil ||
		p.Jobs[0].Stages[dag.Reduce].Groups == nil {
		t.Error("the summary has key groups of four tasks")
	}
	if s, _ := profiles.Summary(p, 20); s.Jobs[0].Stages[dag.Reduce].Groups == nil {
		t.Error("the key groups of four tasks are too many for 20")
	}
}
