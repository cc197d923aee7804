package planview

import (
	"math"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/units"
)

// spec is the shape of Figure 5: as many maps as slots and one more wave, a reduce.
func spec() *queueing.Spec {
	return &queueing.Spec{
		Nodes: 3, CPUs: 2, MapSlots: 1, ReduceSlots: 1, ShuffleThreads: 1,
		Jobs: []queueing.Job{{
			Name: "count\x1b<&>", Copies: 2, Maps: 4, Reduces: 1,
			Map:     queueing.Demand{CPU: 6, Disk: 3},
			Shuffle: queueing.Demand{Disk: 0.5, Network: 0.25},
			Merge:   queueing.Demand{CPU: 4, Disk: 4},
		}},
	}
}

// answer is made by hand, to test the view without a model.
func answer() *queueing.Result {
	leaf := func(k queueing.Kind, n, count int, mean float64) *queueing.Tree {
		return &queueing.Tree{Kind: &k, Tasks: n, Count: count, Mean: units.Float(mean), Deviation: units.Float(mean)}
	}
	tree := &queueing.Tree{Op: queueing.Serial, Count: 1, Mean: 33.5, Deviation: 5, Parts: []*queueing.Tree{
		{
			Op: queueing.ParallelAnd, Count: 1, Mean: 18, Deviation: 9.5,
			Parts: []*queueing.Tree{leaf(queueing.Map, 1, 3, 10)},
		},
		{
			Op: queueing.ParallelAnd, Count: 2, Mean: 12, Deviation: 9,
			Parts: []*queueing.Tree{leaf(queueing.Map, 1, 1, 10), leaf(queueing.Shuffle, 3, 1, 2.25)},
		},
		leaf(queueing.Shuffle, 1, 1, 0.75), leaf(queueing.Merge, 1, 1, 8),
	}}
	s := spec()
	return &queueing.Result{
		Model: queueing.Product,
		Jobs: []queueing.JobResult{{
			Name: s.Jobs[0].Name, Copies: 2, Response: 31.25, StandardError: unknown, Throughput: 0.064, Span: 28.75,
			Classes: []queueing.Class{
				{
					Kind: queueing.Map, Tasks: 4, Takes: 10, Demand: s.Jobs[0].Map,
					Residence: &queueing.Demand{CPU: 6, Disk: 4},
				},
				{Kind: queueing.Shuffle, Tasks: 4, Takes: 0.75, Demand: s.Jobs[0].Shuffle, Residence: &queueing.Demand{
					Disk:    0.5,
					Network: 0.25,
				}},
				{
					Kind: queueing.Merge, Tasks: 1, Takes: 8, Demand: s.Jobs[0].Merge,
					Residence: &queueing.Demand{CPU: 4, Disk: 4},
				},
			},
			Phases: []queueing.Phase{{Start: 0, End: 10, Count: 1}, {Start: 10, End: 28.75, Count: 2}},
			Tree:   tree,
		}},
		Centres: []queueing.Centre{
			{Kind: queueing.Disk, Count: 3, Servers: 1, Utilisation: 0.5},
			{Kind: queueing.CPU, Count: 3, Servers: 2, Utilisation: 0.15},
			{Kind: queueing.Network, Count: 1, Servers: 1, Utilisation: 0.03},
		},
		Warnings: []dag.Warning{{Code: "doubt", Text: "the network is nearly full"}},
		Fixpoint: queueing.Fixpoint{Iterations: 40, Converged: true, Residual: 1e-10},
	}
}

var unknown = units.Float(math.NaN())

func simulated() *queueing.Result {
	j := &spec().Jobs[0]
	return &queueing.Result{
		Model: queueing.Simulation, Fixpoint: queueing.Fixpoint{Converged: true},
		Sampling: &queueing.Sampling{Runs: 400, Makespan: 29}, Warnings: []dag.Warning{},
		Jobs: []queueing.JobResult{{
			Name: j.Name, Copies: 2, Response: 28.5, StandardError: 0.4, Throughput: 2 / 28.5, Span: unknown,
			Classes: []queueing.Class{
				{Kind: queueing.Map, Tasks: 4, Takes: 9.5, Demand: j.Map},
				{Kind: queueing.Shuffle, Tasks: 4, Takes: 0.8, Demand: j.Shuffle},
				{Kind: queueing.Merge, Tasks: 1, Takes: 8, Demand: j.Merge},
			},
			Phases: []queueing.Phase{},
		}},
		Centres: []queueing.Centre{
			{Kind: queueing.Disk, Count: 3, Servers: 1, Utilisation: 0.3},
			{Kind: queueing.CPU, Count: 3, Servers: 2, Utilisation: 0.1},
			{Kind: queueing.Network, Count: 1, Servers: 1, Utilisation: 0.02},
		},
	}
}

func modelViewOf(all ...*queueing.Result) *ModelView {
	v := NewModelView("", spec())
	v.Results = all
	return v
}

func shown() *ModelView {
	v := modelViewOf(answer())
	v.Name = "a small job"
	v.Improvements = []Improvement{
		{Code: "nodes", Means: "twice the nodes", Response: 15, Saved: 0.52},
		{Code: "disk_speed", Means: "disks twice as fast", Response: 25, Saved: 0.2},
		{Code: "cpu_speed", Means: "CPUs twice as fast", Response: 28, Saved: 0.104},
		{Code: "map_slots", Means: "twice the map slots", Response: 33, Saved: -0.056},
	}
	v.Bound = bound("", v.Results[0].Centres, v.Improvements)
	v.Warnings = []dag.Warning{{Code: "unit", Text: "job.yaml:3:4: cpu is 5105"}}
	return v
}

func documentText(t *testing.T, v interface{ Document() *page.Document }) string {
	t.Helper()
	var b strings.Builder
	if err := v.Document().Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func documentJSON(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	if err := view.JSON(&b, v, " "); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
