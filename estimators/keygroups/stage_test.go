package keygroups

import (
	"math"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

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
