package mapreduce

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// query is two jobs and one after them, with that many maps in the first and map slots.
func query(maps, slots int) *dag.Plan {
	phase := func(tasks int, pipelines ...dag.Pipeline) dag.Stage {
		return dag.Stage{Tasks: tasks, Known: true, Pipelines: pipelines}
	}
	pipe := func(tuples, alpha float64) dag.Pipeline {
		return dag.Pipeline{Tuples: dag.Uniform(tuples), Alpha: dag.Uniform(alpha)}
	}
	one := func(node string, after []int, maps, reduces int) dag.Job {
		return dag.Job{Node: node, After: after, Stages: dag.MapReduce(phase(maps, pipe(1000, 40)),
			phase(reduces, pipe(1000, 1), pipe(1000, 1), pipe(1000, 10)))}
	}
	return &dag.Plan{
		Name:    "q.pig",
		Cluster: dag.Cluster{Policy: dag.FIFO, MapSlots: slots, ReduceSlots: 8, SlotsPerNode: 1000, Setup: time.Second},
		Jobs: []dag.Job{one("scope-9", nil, maps, 8), one("scope-35", nil, 7, 4), one("scope-40", []int{0, 1}, 10,
			6)},
	}
}

// watch follows a simulated run by REST, calls each after every tick, and returns the last snapshot.
func watch(t *testing.T, plan *dag.Plan, opt simulate.Options, each func(r *simREST, got *dag.Snapshot)) *dag.Snapshot {
	t.Helper()
	opt.Start, opt.Know = 1_795_000_000_000, simulate.All
	sim, err := simulate.New(plan, opt)
	if err != nil {
		t.Fatal(err)
	}
	r := &simREST{plan: plan}
	src := NewSource(r, yarn.Target{})
	var last *dag.Snapshot
	for {
		snap, err := sim.Next(context.Background())
		if err != nil {
			t.Fatalf("the simulation has ended, the source has not: %v; state %v", err, last.State)
		}
		r.snap, r.requests = snap, map[string]int{}
		got, err := src.Next(context.Background())
		var none *yarn.NoWorkflowError
		switch {
		case errors.As(err, &none):
			continue
		case err != nil:
			t.Fatal(err)
		}
		for path, n := range r.requests {
			if n > 1 {
				t.Fatalf("got %d requests of %s in a tick, want 1", n, path)
			}
		}
		last = got
		each(r, got)
		if got.State.Ended() {
			if _, err := src.Next(context.Background()); err != io.EOF {
				t.Fatalf("after the end: %v", err)
			}
			return last
		}
	}
}

// TestObservedAsSimulated compares the snapshots of the adapter with the simulated run.
func TestObservedAsSimulated(t *testing.T) {
	confs := map[string]int{}
	last := watch(t, query(20, 4), simulate.Options{Seed: 1, Noise: 0.1, FailRate: 20, Every: 2 * time.Second},
		func(r *simREST, got *dag.Snapshot) {
			for path := range r.requests {
				if len(path) > 5 && path[len(path)-5:] == "/conf" {
					confs[path]++
				}
			}
			if got.At != r.snap.At {
				t.Fatalf("at %v, the cluster is at %v", got.At, r.snap.At)
			}
			if got.ID != "pig_1" {
				return // no conf yet
			}
			for j, g := range got.Jobs {
				w := r.snap.Jobs[j]
				if g.State != w.State || g.Submitted != w.Submitted || g.Finished != w.Finished {
					t.Fatalf("at %v job %d is %+v, want %+v", got.At, j, g, w)
				}
				for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
					sameAttempts(t, got.At, g.Stages[k].Attempts, w.Stages[k].Attempts)
				}
			}
		})
	if last.State != dag.Succeeded {
		t.Errorf("it ends %v", last.State)
	}
	failed := 0
	for i := range last.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for _, a := range last.Jobs[i].Stages[k].Attempts {
				if a.State == dag.AttemptFailed {
					failed++
				}
			}
		}
	}
	if failed == 0 {
		t.Error("no attempt failed: the test does not test failures")
	}
	if len(confs) != 3 {
		t.Errorf("configurations requested: %v", confs)
	}
	for path, n := range confs {
		if n != 1 {
			t.Errorf("got %d requests of %s, want 1", n, path)
		}
	}
}

func sameAttempts(t *testing.T, at dag.Instant, got, want []dag.Attempt) {
	t.Helper()
	i := 0
	for _, w := range want {
		if w.State == dag.AttemptWaiting {
			continue
		}
		for i < len(got) && got[i].State == dag.AttemptWaiting {
			i++
		}
		if i >= len(got) {
			t.Fatalf("at %v attempt %d.%d (%v) is missing", at, w.Task, w.Number, w.State)
		}
		g := got[i]
		i++
		if g.Task != w.Task || g.Number != w.Number || g.State != w.State || g.Start != w.Start || g.End != w.End {
			t.Fatalf("at %v got %d.%d %v %v-%v, want %d.%d %v %v-%v", at, g.Task, g.Number, g.State, g.Start, g.End,
				w.Task, w.Number, w.State, w.Start, w.End)
		}
	}
	if i < len(got) {
		t.Fatalf("at %v there is an attempt too many: %+v", at, got[i])
	}
}

// TestPolling: a job of 10,000 tasks costs at most a tenth of what asking everything each tick does, and nothing is
// lost by it.
func TestPolling(t *testing.T) {
	for _, slots := range []int{1000, 200}[:fixtures.Long(1, 2)] {
		naive, one, late, ticks := 0, 0, 0, 0
		var rest *simREST
		last := watch(t, query(10_000, slots), simulate.Options{
			Seed: 1, Noise: 0.1,
			Every: time.Duration(10_000/slots) * time.Second,
		}, func(r *simREST, got *dag.Snapshot) {
			rest = r
			if ticks%4 == 0 {
				one = r.naive() // it grows slowly
			}
			naive, ticks = naive+one, ticks+1
			if n := len(r.requests); n > 2*tasksATick+20 {
				t.Errorf("%d questions in one tick", n)
			}
			if got.ID == "pig_1" &&
				got.Jobs[0].Stages[dag.Map].Running() < r.snap.Jobs[0].Stages[dag.Map].Running()*4/5 {
				late++
			}
		})
		share := float64(rest.bytes) / float64(naive)
		t.Logf("%d slots: %d ticks, %d bytes, %d of naive polling: %.1f%%", slots, ticks, rest.bytes, naive, 100*share)
		if share > 0.1 {
			t.Errorf("%d slots: that is more than a tenth", slots)
		}
		if late > ticks/10 {
			t.Errorf("%d slots: on %d of %d ticks more than a fifth of the running maps were unknown", slots, late,
				ticks)
		}
		for i := range last.Jobs {
			if n, want := len(last.Jobs[i].Stages[dag.Map].Attempts), rest.plan.Jobs[i].Stages[dag.Map].Tasks; n !=
				want {
				t.Errorf("%d slots: %d maps of job %d in the end, want %d", slots, n, i, want)
			}
		}
	}
}
