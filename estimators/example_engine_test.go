package estimators_test

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
	"github.com/paratimer/paratimer/schedule"
)

// An engine is what another engine's adapter is made of: it asks for the state of a query and hands out snapshots. This
// one "asks" a clock. Two scans feed a join; each of four cores runs one task.
type engine struct {
	plan *dag.Plan
	at   dag.Instant
}

func newEngine() *engine {
	stage := func(name string, tasks int, seconds float64, after ...dag.Edge) dag.Stage {
		return dag.Stage{
			Name: name, Tasks: tasks, Known: true, After: after,
			// milliseconds a record
			Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(seconds)}},
		}
	}
	return &engine{plan: &dag.Plan{
		Name:    "orders by customer",
		Cluster: dag.Cluster{Policy: dag.Executors, Cores: 4},
		Jobs: []dag.Job{{Node: "query", Stages: []dag.Stage{
			stage("scan orders", 8, 10),
			stage("scan customers", 2, 5),
			stage("join", 4, 20, dag.Edge{From: 0}, dag.Edge{From: 1, Kind: dag.Broadcast}),
		}}},
	}}
}

// Next observes once. The first four tasks run from the start on, and have done half of their records after 5 s.
func (e *engine) Next(context.Context) (*dag.Snapshot, error) {
	if e.at > 5000 {
		return nil, io.EOF // earned: the engine itself reports that the query is over
	}
	s := &dag.Snapshot{
		Plan: e.plan, At: e.at, ID: "query-1", State: dag.Running, Jobs: e.plan.BlockedJobs(),
		Stale: dag.NoInstant,
	}
	s.Jobs[0].State, s.Jobs[0].Submitted, s.Jobs[0].Started = dag.Running, 0, 0
	for task := range int32(4) {
		a := dag.Attempt{Task: task, State: dag.AttemptRunning, Slot: -1, Node: -1, Start: 0, End: dag.NoInstant}
		a.Done[0] = float64(e.at) / 10
		s.Jobs[0].Stages[0].Attempts = append(s.Jobs[0].Stages[0].Attempts, a)
	}
	e.at += 5000
	return s, nil
}

// A new engine brings a source, and the plan has the rest: its stages, how they read each other, the cluster. See
// CONTRIBUTING.md.
func Example_engine() {
	var run dag.Run
	source := newEngine()
	standard := estimators.New(estimators.Scenarios()[0], paper.Model(paper.ObservedSlowdown),
		estimators.Options{})
	for {
		s, err := source.Next(context.Background())
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		run = run.Append(s)
		e, err := standard.Estimate(run)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s.At.Sub(0).Round(time.Second), "in,", *e.Remaining, "left:")
		for _, seg := range e.Path.Critical {
			f := &e.Path.Fragments[seg.Fragment]
			fmt.Printf("  %v %s\n", seg.End.Sub(seg.Start), schedule.What(s.Plan, e.Path.JobOf(f), f.Stage, f.Pause))
		}
	}
	// Output:
	// 0s in, 45s left:
	//   20s scan orders
	//   5s scan customers
	//   20s join
	// 5s in, 40s left:
	//   15s scan orders
	//   5s scan customers
	//   20s join
}
