package pathfrag_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
)

// TestAnyStages follows the chain through jobs that are no MapReduce: every kind of edge is on the way, or beside it.
// The chain is the critical path of examples/stages.yaml, found by hand.
func TestAnyStages(t *testing.T) {
	t.Parallel()
	plan, err := planfile.ReadFile("../examples/stages.yaml", planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var last *dag.Snapshot
	var marks *pathfrag.Marks
	play(t, plan, simulate.Options{Every: time.Second}, func(s *dag.Snapshot, m *pathfrag.Marks) {
		last, marks = s,
			m
	})
	a, err := pathfrag.Attribute(last, marks)
	if err != nil {
		t.Fatal(err)
	}
	if err := partition(last, a); err != nil {
		t.Error(err)
	}
	var names []string
	for _, p := range a.Parts {
		if p.Task >= 0 {
			names = append(names, plan.StageName(p.Job, p.Stage))
		}
	}
	if got, want := strings.Join(slices.Compact(names),
		", "), "scan orders, parse orders, by region, join, total, write"; got != want {
		t.Errorf("the chain is %s, want %s", got, want)
	}
	if unknown := a.ByCause()[pathfrag.Unknown]; unknown > 0 || a.Total() != 86*time.Second {
		t.Errorf("%v of %v are unknown: %+v", unknown, a.Total(), a.Parts)
	}
}

// TestNoExecutorYet checks that the time to the first task of a Spark application, whose stages are ready when it
// submits its first job, is that of executors that start, and once one is there the driver's.
func TestNoExecutorYet(t *testing.T) {
	t.Parallel()
	task := dag.Attempt{State: dag.AttemptSucceeded, Start: 121_100, End: 131_100}
	task.CopyEnd, task.SortEnd = dag.NoInstant, dag.NoInstant
	s := &dag.Snapshot{
		Plan: &dag.Plan{
			Cluster: dag.Cluster{Policy: dag.Executors, Cores: 4},
			Jobs:    []dag.Job{{Node: "application", Stages: []dag.Stage{{Name: "map", Tasks: 1, Known: true}}}},
		},
		At: 131_100, State: dag.Succeeded, Stale: dag.NoInstant,
		Jobs: []dag.JobState{{
			State: dag.Succeeded, Submitted: 1000, Started: 1000, Finished: 131_100,
			Stages: []dag.StageState{{Attempts: []dag.Attempt{task}}},
		}},
	}
	a, err := pathfrag.Attribute(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.ByCause()[pathfrag.Startup]; got != 120_100*time.Millisecond {
		t.Errorf("%v of executors starting: %+v", got, a.Parts)
	}
	s.Nodes = []dag.NodeState{{Since: 101_000}, {Since: 111_000}}
	if a, err = pathfrag.Attribute(s, nil); err != nil {
		t.Fatal(err)
	}
	by := a.ByCause()
	if by[pathfrag.Startup] != 100*time.Second || by[pathfrag.Launch] != 20_100*time.Millisecond {
		t.Errorf("an executor came after 100 s: %+v", a.Parts)
	}
}

type times = map[pathfrag.Cause]time.Duration

// TestWaitsOnExecutors checks the causes of waits and of long tasks on executors: two stages of an application on two
// cores, the second of which reads the first one by a broadcast.
func TestWaitsOnExecutors(t *testing.T) {
	t.Parallel()
	a := func(task int32, node int32, start, end dag.Instant, records float64) dag.Attempt {
		a := dag.BlankAttempt(task, 0)
		a.State, a.Node, a.Start, a.End, a.Done[0] = dag.AttemptSucceeded, node, start, end, records
		return a
	}
	second := []dag.Attempt{a(0, 0, 20_000, 21_000, 5), a(1, 0, 21_000, 22_000, 5)}
	for _, c := range []struct {
		name   string
		change func(s *dag.Snapshot, second []dag.Attempt) []dag.Attempt
		want   times
	}{
		{"broadcast", func(s *dag.Snapshot, second []dag.Attempt) []dag.Attempt {
			return second
		}, times{pathfrag.Broadcast: 8 * time.Second, pathfrag.Launch: 2 * time.Second}},
		{"no broadcast", func(s *dag.Snapshot, second []dag.Attempt) []dag.Attempt {
			s.Plan.Jobs[0].Stages[0].Broadcast = false
			return second
		}, times{pathfrag.Launch: 10 * time.Second}},
		{"idle", func(s *dag.Snapshot, second []dag.Attempt) []dag.Attempt { // the other core is free from 21 s on
			return append(second[:1], a(1, 0, 24_500, 26_000, 5))
		}, times{pathfrag.Idle: 3500 * time.Millisecond}},
		{"an executor", func(s *dag.Snapshot, second []dag.Attempt) []dag.Attempt { // it runs the last task
			s.Nodes[1].Since = 24_000
			return append(second[:1], a(1, 1, 25_000, 26_000, 5))
		}, times{pathfrag.Startup: 3 * time.Second, pathfrag.Idle: time.Second}},
		{"straggler", func(s *dag.Snapshot, second []dag.Attempt) []dag.Attempt {
			return append(second, a(2, 1, 20_000, 31_000, 5))
		}, times{pathfrag.Straggler: 10 * time.Second}},
		{"skew", func(s *dag.Snapshot, second []dag.Attempt) []dag.Attempt {
			return append(second, a(2, 1, 20_000, 31_000, 55))
		}, times{pathfrag.Skew: 10 * time.Second}},
		{"a late report", func(s *dag.Snapshot, second []dag.Attempt) []dag.Attempt {
			// Two tasks of the first stage have the cores, and the driver records their ends after their successors.
			s.Jobs[0].Stages[1].Submitted, s.Plan.Jobs[0].Stages[1].After = 1000, nil
			return []dag.Attempt{a(0, 0, 9_800, 12_000, 5), a(1, 0, 9_900, 12_000, 5)}
		}, times{pathfrag.Containers: 0, pathfrag.Work: 11 * time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &dag.Snapshot{
				Plan: &dag.Plan{
					Cluster: dag.Cluster{Policy: dag.Executors, Cores: 2},
					Jobs: []dag.Job{{Node: "application", Stages: []dag.Stage{
						{Name: "small", Known: true, Broadcast: true},
						{Name: "large", Known: true, After: []dag.Edge{{From: 0, Kind: dag.Broadcast}}},
					}}},
				},
				State: dag.Succeeded, Stale: dag.NoInstant,
				Nodes: []dag.NodeState{{Since: 500, LostAt: dag.NoInstant}, {Since: 500, LostAt: dag.NoInstant}},
				Jobs: []dag.JobState{{
					State: dag.Succeeded, Submitted: 1000, Started: 1000,
					Stages: []dag.StageState{
						{Submitted: 1000, Attempts: []dag.Attempt{a(0, 0, 1000, 10_000, 5), a(1, 0, 1000, 10_000, 5)}},
						{Submitted: 18_000},
					},
				}},
			}
			attempts := c.change(s, slices.Clone(second))
			s.Jobs[0].Stages[1].Attempts = attempts
			for k := range s.Plan.Jobs[0].Stages {
				s.Plan.Jobs[0].Stages[k].Tasks = len(s.Jobs[0].Stages[k].Attempts)
			}
			last := slices.MaxFunc(attempts, func(a, b dag.Attempt) int { return int(a.End - b.End) })
			s.At, s.Jobs[0].Finished = last.End, last.End
			got, err := pathfrag.Attribute(s, nil)
			if err != nil {
				t.Fatal(err)
			}
			for cause, want := range c.want {
				if d := got.ByCause()[cause]; d != want {
					t.Errorf("%v took %v, want %v: %+v", cause, d, want, got.Parts)
				}
			}
		})
	}
}

// TestLaunchOfVertices checks that all the time to the first task of a DAG of Tez is launch: an attempt starts in its
// JVM, and a JVM may take longer to start than a master of MapReduce takes to ask for its first task.
func TestLaunchOfVertices(t *testing.T) {
	t.Parallel()
	plan := &dag.Plan{
		Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: 1024},
		Jobs: []dag.Job{{Node: "dag", Rules: dag.AncestorsFirst, Stages: []dag.Stage{{
			Name: "Map 1", Tasks: 1, Known: true, MemoryMB: 256,
		}}}},
	}
	task := dag.Attempt{State: dag.AttemptSucceeded, Start: 30_000, End: 40_000}
	task.CopyEnd, task.SortEnd = dag.NoInstant, dag.NoInstant
	s := &dag.Snapshot{
		Plan: plan, At: 40_000, State: dag.Succeeded, Stale: dag.NoInstant,
		Jobs: []dag.JobState{{
			State: dag.Succeeded, Submitted: 0, Started: 1000, Finished: 40_000,
			Stages: []dag.StageState{{Attempts: []dag.Attempt{task}}},
		}},
	}
	for rules, want := range map[dag.StageRules]pathfrag.Cause{
		dag.AncestorsFirst: pathfrag.Launch, dag.ReducesFirst: pathfrag.Unknown,
	} {
		plan.Jobs[0].Rules = rules
		a, err := pathfrag.Attribute(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.ByCause()[want]; got < 29*time.Second {
			t.Errorf("rules %v: %v of %v: %+v", rules, got, want, a.Parts)
		}
	}
}
