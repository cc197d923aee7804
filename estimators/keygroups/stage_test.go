package keygroups

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

var nan = math.NaN()

// A reducer is a stage whose key groups take time by a law. Its tasks begin at 30 s, all at once.
type reducer struct {
	sizes [][]float64 // of each task, in the order in which they are processed
	cost  func(bytes float64) time.Duration
}

// quadratic has four tasks with groups of unlike sizes, 10 to 10,000 bytes; one of them has the large ones.
func quadratic() reducer {
	r := rand.New(rand.NewPCG(1, 2))
	out := reducer{cost: func(b float64) time.Duration {
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
		out.sizes = append(out.sizes, sizes)
	}
	return out
}

// linear is quadratic with time linear in bytes.
func linear() reducer {
	r := quadratic()
	r.cost = func(b float64) time.Duration { return time.Duration(b * 3 * float64(time.Millisecond)) }
	return r
}

// larger is r with keys f times as large.
func (r reducer) larger(f float64) reducer {
	out := reducer{cost: r.cost}
	for _, sizes := range r.sizes {
		scaled := make([]float64, len(sizes))
		for i := range sizes {
			scaled[i] = f * sizes[i]
		}
		out.sizes = append(out.sizes, scaled)
	}
	return out
}

// at is the stage at an instant. Sizes from 500 bytes on are known one by one.
func (r reducer) at(now dag.Instant, origin dag.GroupOrigin) Stage {
	s := Stage{Tasks: len(r.sizes), Feeders: 10}
	g := &dag.Groups{Origin: origin, Maps: 10}
	bytes := make([]float64, s.Tasks)
	for i, sizes := range r.sizes {
		a := dag.Attempt{Task: int32(i), Start: 30_000, State: dag.AttemptRunning, End: dag.NoInstant}
		red := dag.NoReduceGroups()
		red.Bytes, red.Implicit, red.Attempt = 0, 0, 0
		end := dag.Instant(30_000)
		for _, b := range sizes {
			red.Bytes += b
			if b >= 500 {
				red.Explicit = append(red.Explicit, dag.GroupSize{Bytes: b, Count: 1})
			} else {
				red.Implicit += b
			}
			if end = end.Add(r.cost(b)); end <= now {
				red.Done = append(red.Done, dag.GroupPoint{At: end, Bytes: b, Took: r.cost(b), Count: 1})
			}
		}
		slices.SortFunc(red.Explicit, func(a, b dag.GroupSize) int { return int(a.Bytes - b.Bytes) })
		if now >= end {
			a.State, a.End = dag.AttemptSucceeded, end
		}
		s.Attempts, g.Reduces, bytes[i] = append(s.Attempts, a), append(g.Reduces, red), red.Bytes
	}
	s.Groups, s.Bytes = g, dag.Each(bytes)
	return s
}

// whole is how long a task works.
func (r reducer) whole(task int) float64 {
	sum := time.Duration(0)
	for _, b := range r.sizes[task] {
		sum += r.cost(b)
	}
	return float64(sum) / 1e6
}

// end is when a task ends.
func (r reducer) end(task int) dag.Instant { return dag.Instant(30_000 + r.whole(task)) }

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
