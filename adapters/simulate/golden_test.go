package simulate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
)

// The reference program's runs without noise are our runs: at each of its instants the same attempts have ended, failed
// and run, with the same counters, and the run takes as long.
func TestGolden(t *testing.T) {
	compared := 0
	for _, c := range golden.Load(t) {
		if c.ActualTotalMS == nil || slices.ContainsFunc(c.Slowdown[:], func(s float64) bool { return s != 1 }) {
			continue // noise of another generator
		}
		t.Run(c.Name, func(t *testing.T) {
			last := c.Instants[len(c.Instants)-1].Snapshot
			opt := Options{Fail: failures(c.Plan, last), Every: time.Millisecond}
			run := newSimulation(c.Plan, &opt)
			for j := range c.Plan.Jobs {
				if order := startOrder(last.Jobs[j].Stages[dag.Reduce].Attempts); len(order) ==
					c.Plan.Jobs[j].Stages[dag.Reduce].Tasks {
					run.jobs[j].stages[dag.Reduce].order = order
				}
			}
			if err := run.replay(); err != nil {
				t.Fatal(err)
			}
			for _, in := range c.Instants {
				if err := run.reach(in.At); err != nil {
					t.Fatal(err)
				}
				s := run.show(in.At)
				for j := range s.Jobs {
					for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
						sameAttempts(t, in.At, in.Snapshot.Jobs[j].Stages[k].Attempts, s.Jobs[j].Stages[k].Attempts)
						compared += len(s.Jobs[j].Stages[k].Attempts)
					}
					if s.Jobs[j].Submitted != in.Snapshot.Jobs[j].Submitted {
						t.Errorf("at %d job %d: submitted %d, want %d", in.At, j, s.Jobs[j].Submitted,
							in.Snapshot.Jobs[j].Submitted)
					}
				}
			}
			if got := float64(run.end); got != *c.ActualTotalMS {
				t.Errorf("the run takes %v ms, want %v", got, *c.ActualTotalMS)
			}
		})
	}
	t.Logf("%d attempts compared", compared)
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

func failures(p *dag.Plan, s *dag.Snapshot) []Failure {
	var out []Failure
	for j := range s.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for _, a := range s.Jobs[j].Stages[k].Attempts {
				if a.State == dag.AttemptFailed {
					out = append(out, Failure{Job: p.Jobs[j].Node, Stage: k, Task: int(a.Task), At: a.End.Sub(0)})
				}
			}
		}
	}
	return out
}

// startOrder is the order in which tasks were handed out.
func startOrder(as []dag.Attempt) []int {
	as = slices.Clone(as)
	slices.SortFunc(as, func(a, b dag.Attempt) int {
		if a.Start != b.Start {
			return int(a.Start - b.Start)
		}
		return int(a.Slot - b.Slot)
	})
	var order []int
	for _, a := range as {
		order = append(order, int(a.Task))
	}
	return order
}

func sameAttempts(t *testing.T, at dag.Instant, want, got []dag.Attempt) {
	t.Helper()
	for i := range got {
		if got[i].State == dag.AttemptFailed { // the reference does not show how far it came
			got[i].Done = [dag.Pipelines]float64{}
		}
	}
	same := func(a, b dag.Attempt) bool {
		return a.Task == b.Task && a.Number == b.Number && a.State == b.State && a.Slot == b.Slot && a.Node == b.Node &&
			a.Start == b.Start && a.End == b.End && a.Done == b.Done
	}
	if !slices.EqualFunc(want, got, same) {
		t.Errorf("at %d:\ngot  %s\nwant %s", at, brief(got), brief(want))
	}
}

func brief(as []dag.Attempt) string {
	var b strings.Builder
	for _, a := range as {
		fmt.Fprintf(&b, " %d.%d %v slot %d %d-%d %v;", a.Task, a.Number, a.State, a.Slot, a.Start, a.End, a.Done)
	}
	return b.String()
}

// all returns a run's snapshots.
func all(t testing.TB, p *dag.Plan, o Options) []*dag.Snapshot {
	t.Helper()
	src, err := New(p, o)
	if err != nil {
		t.Fatal(err)
	}
	var out []*dag.Snapshot
	for {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
}
