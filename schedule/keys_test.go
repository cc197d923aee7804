package schedule_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/schedule"
)

// TestOrderEqualsNaive: under any order of keys the engine follows the rules attempt by attempt, from the start
// and from any instant.
func TestOrderEqualsNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, fault := golden.Draw(t), golden.DrawFault(t)
		keys := []dag.OrderKey{dag.BySubmit, dag.ByPriority, dag.BySize, dag.ByRemaining, dag.ByRunning}
		c.Plan.Cluster.Order = rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 1, 3, rapid.ID[dag.OrderKey]).Draw(t,
			"order")
		for j := range c.Plan.Jobs {
			c.Plan.Jobs[j].Priority = rapid.IntRange(-1, 1).Draw(t, "priority")
		}
		start := golden.Start(c.Plan)
		run, err := schedule.Replay(start, c.Left(start, c.Slowdown), schedule.Options{Fault: fault})
		if err != nil {
			t.Fatal(err)
		}
		seen := golden.Cut(c.Plan, run, dag.Instant(rapid.Int64Range(0, int64(run.End)).Draw(t, "at")))
		for _, s := range []*dag.Snapshot{start, seen} {
			left := c.Left(s, c.Slowdown)
			sch, err := schedule.Replay(s, left, schedule.Options{Fault: fault})
			if err != nil {
				t.Fatal(err)
			}
			want := newNaive(s, left, fault).replay(s.At)
			if got := flat(sch); !slices.Equal(got, want) {
				t.Fatalf("order %v, at %d:\ngot  %v\nwant %v", c.Plan.Cluster.Order, s.At, got, want)
			}
			lean, err := schedule.Replay(s, left, schedule.Options{Fault: fault, EndOnly: &schedule.EndOnly{}})
			if err != nil || lean.End != sch.End {
				t.Fatalf("lean ends at %v (%v), want %v", lean.End, err, sch.End)
			}
		}
	})
}

// TestOrderBySubmitIsBuiltIn: an order by submission, given as data, gives the very schedule of FIFO and of YARN as
// they are built in.
func TestOrderBySubmitIsBuiltIn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, fault := golden.Draw(t), golden.DrawFault(t)
		if rapid.Bool().Draw(t, "yarn") {
			c.Plan.Cluster.Policy, c.Plan.Cluster.MemoryMB = dag.YARN, 1024*rapid.IntRange(3, 12).Draw(t, "containers")
			c.Plan.Overheads = dag.Overheads{
				Launch: 3 * time.Second, Beat: time.Second,
				Stagger: 200 * time.Millisecond, Wave: time.Second,
			}
		}
		told := *c.Plan
		told.Cluster.Order = []dag.OrderKey{dag.BySubmit}
		left := c.Left(golden.Start(c.Plan), c.Slowdown)
		want, err := schedule.Replay(golden.Start(c.Plan), left, schedule.Options{Fault: fault})
		got, err2 := schedule.Replay(golden.Start(&told), left, schedule.Options{Fault: fault})
		if !reflect.DeepEqual(err, err2) || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v %v, want %v %v", got, err2, want, err)
		}
	})
}

// orderedJobs are two jobs at once: a of ten maps, b of two, each of 10 s, on two slots or in two containers beside the
// masters'.
func orderedJobs(policy dag.Policy, order ...dag.OrderKey) *dag.Plan {
	phase := func(n int) dag.Stage {
		return dag.Stage{
			Tasks: n, Known: true,
			Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(10), Alpha: dag.Uniform(1000)}},
		}
	}
	return &dag.Plan{
		Cluster: dag.Cluster{Policy: policy, MapSlots: 2, ReduceSlots: 1, MemoryMB: 4096, Order: order},
		Jobs: []dag.Job{
			{Node: "a", Stages: dag.MapReduce(phase(10), dag.Stage{Known: true})},
			{Node: "b", Stages: dag.MapReduce(phase(2), dag.Stage{Known: true}), Priority: 1},
		},
	}
}

// TestOrders: when each of two jobs ends under each key.
func TestOrders(t *testing.T) {
	t.Parallel()
	left := func(schedule.Task) schedule.Cost { return schedule.Cost{Work: 10 * time.Second, Same: 1} }
	for _, c := range []struct {
		name   string
		policy dag.Policy
		order  []dag.OrderKey
		a, b   dag.Instant
	}{
		{"built in", dag.FIFO, nil, 50_000, 60_000},
		{"priority", dag.FIFO, []dag.OrderKey{dag.ByPriority, dag.BySubmit}, 60_000, 10_000},
		{"size", dag.FIFO, []dag.OrderKey{dag.BySize}, 60_000, 10_000},
		{"remaining", dag.FIFO, []dag.OrderKey{dag.ByRemaining}, 60_000, 10_000},
		{"running", dag.FIFO, []dag.OrderKey{dag.ByRunning}, 60_000, 20_000},
		{
			"submit decides before priority, the plan before that", dag.FIFO,
			[]dag.OrderKey{dag.BySubmit, dag.ByPriority},
			60_000, 10_000,
		},
		{"containers", dag.YARN, nil, 50_000, 60_000},
		// b's master leaves room for a third
		{"containers by priority", dag.YARN, []dag.OrderKey{dag.ByPriority}, 50_000, 10_000},
		{"containers by what remains", dag.YARN, []dag.OrderKey{dag.ByRemaining}, 50_000, 10_000},
	} {
		sch, err := schedule.Replay(golden.Start(orderedJobs(c.policy, c.order...)), left, schedule.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if sch.Finished[0] != c.a || sch.Finished[1] != c.b {
			t.Errorf("%s: a ends at %d, b at %d, want %d and %d", c.name, sch.Finished[0], sch.Finished[1], c.a, c.b)
		}
	}
}

// TestBadOrders: keys twice, keys that do not exist, and a key that has no meaning for containers.
func TestBadOrders(t *testing.T) {
	t.Parallel()
	for _, p := range []*dag.Plan{
		orderedJobs(dag.FIFO, dag.ByPriority, dag.ByPriority), orderedJobs(dag.FIFO, 99),
		orderedJobs(dag.YARN, dag.ByRunning),
	} {
		if shape := new(dag.PlanError); !errors.As(dag.Validate(p), &shape) {
			t.Errorf("%v on %v: %v", p.Cluster.Order, p.Cluster.Policy, dag.Validate(p))
		}
	}
	if err := dag.Validate(orderedJobs(dag.YARN, dag.ByPriority, dag.ByRemaining, dag.BySize, dag.BySubmit)); err !=
		nil {
		t.Error(err)
	}
}
