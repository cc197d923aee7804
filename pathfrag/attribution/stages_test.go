package attribution_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag/attribution"
)

// TestAnyStages follows the chain through jobs that are no MapReduce: every kind of edge is on the way, or beside it.
// The chain is the critical path of examples/stages.yaml, found by hand.
func TestAnyStages(t *testing.T) {
	t.Parallel()
	plan, err := planfile.ReadFile("../../examples/stages.yaml", planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var last *dag.Snapshot
	var marks *attribution.Marks
	play(t, plan, simulate.Options{Every: time.Second}, func(s *dag.Snapshot, m *attribution.Marks) {
		last, marks = s,
			m
	})
	a, err := attribution.Of(last, marks)
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
	if unknown := a.ByCause()[attribution.Unknown]; unknown > 0 || a.Total() != 86*time.Second {
		t.Errorf("%v of %v are unknown: %+v", unknown, a.Total(), a.Parts)
	}
}

// TestNoExecutorYet holds that the time to the first task of an application of Spark, whose stages are ready when it
// submits its first job, is that of waiting for cores.
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
	a, err := attribution.Of(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.ByCause()[attribution.Containers]; got != 120_100*time.Millisecond {
		t.Errorf("%v of waiting for cores: %+v", got, a.Parts)
	}
}

// TestLaunchOfVertices holds that all the time to the first task of a DAG of Tez is launch: an attempt starts in its
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
	for rules, want := range map[dag.StageRules]attribution.Cause{
		dag.AncestorsFirst: attribution.Launch, dag.ReducesFirst: attribution.Unknown,
	} {
		plan.Jobs[0].Rules = rules
		a, err := attribution.Of(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.ByCause()[want]; got < 29*time.Second {
			t.Errorf("rules %v: %v of %v: %+v", rules, got, want, a.Parts)
		}
	}
}
