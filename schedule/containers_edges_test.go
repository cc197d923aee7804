package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Three tasks of 10 s and a second stage of three tasks of 4 s that reads them, on two cores: when does each start?
func TestEdges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		edge dag.Edge
		want string // stage and task, and when it starts, in seconds
	}{
		{dag.Edge{Kind: dag.Barrier}, "a0@0 a1@0 a2@10 b0@20 b1@20 b2@24"},
		{dag.Edge{Kind: dag.Broadcast}, "a0@0 a1@0 a2@10 b0@20 b1@20 b2@24"},
		// The second core has nothing better to do at 10 s: the first two outputs are there, the third is not.
		{dag.Edge{Kind: dag.OneToOne}, "a0@0 a1@0 a2@10 b0@10 b1@14 b2@20"},
		{dag.Edge{Kind: dag.Pipelined}, "a0@0 a1@0 a2@10 b0@10 b1@14 b2@18"},
		// Half of the first stage has ended at 10 s, but the reduce that starts then holds its core until the last one
		// has, and copies.
		{dag.Edge{Kind: dag.SlowStart, Ratio: 0.5}, "a0@0 a1@0 a2@10 b0@10 b1@20 b2@24"},
		{dag.Edge{Kind: dag.SlowStart, Ratio: 1}, "a0@0 a1@0 a2@10 b0@20 b1@20 b2@24"},
	} {
		plan := &dag.Plan{
			Cluster: dag.Cluster{Policy: dag.Executors, Cores: 2},
			Jobs: []dag.Job{{Node: "q", Stages: []dag.Stage{
				{Name: "a", Tasks: 3, Known: true}, {Name: "b", Tasks: 3, Known: true, After: []dag.Edge{c.edge}},
			}}},
		}
		for _, lean := range []*EndOnly{nil, {}} {
			sch, err := Replay(blankSnapshot(plan), func(t Task) Cost {
				return Cost{Work: []time.Duration{10 * second, 4 * second}[t.Stage], Same: 1}
			}, Options{EndOnly: lean})
			if err != nil {
				t.Fatalf("%v: %v", c.edge, err)
			}
			end := map[bool]dag.Instant{true: 28_000, false: 24_000}[strings.HasSuffix(c.want, "b2@24")]
			if strings.HasSuffix(c.want, "b2@18") {
				end = 22_000
			}
			if sch.End != end {
				t.Errorf("%v: it ends at %d, want %d", c.edge, sch.End, end)
			}
			if lean == nil {
				if got := startsOf(plan, sch); got != c.want {
					t.Errorf("%v: %s, want %s", c.edge, got, c.want)
				}
			}
		}
	}
}

func startsOf(plan *dag.Plan, sch *Schedule) string {
	var all []string
	for i := range sch.Spans {
		sp := &sch.Spans[i]
		for n := range sp.Count {
			all = append(all, fmt.Sprintf("%s%d@%d", sp.What(plan), sp.First+n, sp.Start/1000))
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// A stage without tasks is over as soon as those before it are, and no sooner.
func TestEmptyStage(t *testing.T) {
	t.Parallel()
	plan := &dag.Plan{
		Cluster: dag.Cluster{Policy: dag.Executors, Cores: 2},
		Jobs: []dag.Job{{Node: "q", Stages: []dag.Stage{
			{Name: "a", Tasks: 1, Known: true},
			{Name: "b", Known: true, After: []dag.Edge{{}}},
			{Name: "c", Tasks: 1, Known: true, After: []dag.Edge{{From: 1}}},
		}}},
	}
	sch, err := Replay(blankSnapshot(plan), func(Task) Cost { return Cost{Work: 5 * second, Same: 1} }, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := startsOf(plan, sch), "a0@0 c0@5"; got != want || sch.End != 10_000 {
		t.Errorf("%s until %d, want %s", got, sch.End, want)
	}
}

// What an executor's loss has undone runs again in the order of what reads what: b0 waits for a0, one to one, and c0
// for all of b, although cores are idle. At 25 s the second executor is lost: what a0 and b0 wrote is gone; c0, or b0
// where b has not ended, ran there.
func TestLostInputIsWaitedFor(t *testing.T) {
	t.Parallel()
	ten := func(task, node int32, state dag.AttemptState, start dag.Instant) dag.Attempt {
		a := dag.Attempt{Task: task, Slot: node, Node: node, State: state, Start: start, End: start + 10_000}
		if state == dag.AttemptRunning {
			a.End = dag.NoInstant
		}
		return a
	}
	done, lost, runs := dag.AttemptSucceeded, dag.AttemptKilled, dag.AttemptRunning
	plan := &dag.Plan{
		Cluster: dag.Cluster{Policy: dag.Executors, Cores: 8},
		Jobs: []dag.Job{{Node: "q", Stages: []dag.Stage{
			{Name: "a", Tasks: 2, Known: true},
			{Name: "b", Tasks: 2, Known: true, After: []dag.Edge{{Kind: dag.OneToOne}}},
			{Name: "c", Tasks: 1, Known: true, After: []dag.Edge{{From: 1}}},
		}}},
	}
	for _, x := range []struct {
		b, c []dag.Attempt
		want string
	}{
		{
			[]dag.Attempt{ten(0, 1, lost, 10_000), ten(1, 0, done, 10_000)},
			[]dag.Attempt{ten(0, 1, runs, 20_000)},
			"a0@25 b0@35 c0@45",
		},
		{[]dag.Attempt{ten(0, 1, runs, 20_000), ten(1, 0, done, 10_000)}, nil, "a0@25 b0@35 c0@45"},
	} {
		s := blankSnapshot(plan)
		s.At = 25_000
		s.Nodes = []dag.NodeState{{Name: "one", Cores: 4, LostAt: dag.NoInstant}, {
			Name: "two", Cores: 4, Lost: true,
			LostAt: 25_000,
		}}
		s.Jobs[0].State, s.Jobs[0].Submitted = dag.Running, 0
		for k, list := range [][]dag.Attempt{{ten(0, 1, lost, 0), ten(1, 0, done, 0)}, x.b, x.c} {
			s.Jobs[0].Stages[k].Attempts = list
		}
		sch, err := Replay(s, func(Task) Cost { return Cost{Work: 10 * second, Same: 1} }, Options{})
		if err != nil {
			t.Fatal(err)
		}
		sch.Spans = slices.DeleteFunc(sch.Spans, func(sp Span) bool { return sp.Start < s.At })
		if got := startsOf(plan, sch); got != x.want {
			t.Errorf("%s, want %s", got, x.want)
		}
	}
}
