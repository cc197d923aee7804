package planview

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

var update = flag.Bool("update", false, "write what the examples give into testdata")

// For the tests of drawings. Their package imports this one.
var (
	ViewOf, ViewOfCase       = of, viewOf
	Example, Uniform, Uneven = example, uniform, uneven
)

// noOptions is a schedule without faults.
var noOptions schedule.Options

// viewOf makes the view of a golden case from a snapshot on, with the case's own costs.
func viewOf(t *testing.T, c *golden.Case, s *dag.Snapshot, opt schedule.Options) *View {
	t.Helper()
	left := c.Left(s, [4]float64{1, 1, 1, 1})
	sch, err := schedule.Replay(s, left, opt)
	if err != nil {
		t.Fatal(err)
	}
	path, err := pathfrag.Find(c.Plan, sch, pathfrag.Params{Delta1: c.Delta1, Delta2: c.Delta2})
	if err != nil {
		t.Fatal(err)
	}
	return &View{Plan: c.Plan, Path: path, Full: func(job int, k dag.StageIndex, task int) float64 {
		whole := schedule.Task{Job: job, Stage: k, Index: task, Running: &dag.Attempt{Start: s.At}}
		return float64(left(whole).Work.Milliseconds())
	}}
}

func of(t *testing.T, p *dag.Plan) *View {
	t.Helper()
	v, err := Of(p, nil, cost.Costs, estimators.Options{}, estimators.Scenarios())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func example(t *testing.T, name string) *View {
	t.Helper()
	p, err := planfile.ReadFile("../../../../examples/"+name+".yaml", planfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return of(t, p)
}

// compare holds got against a file of testdata.
func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// uniform is a plan of one job with equal tasks.
func uniform(maps, slots int) *dag.Plan {
	return &dag.Plan{Name: "uniform", Cluster: dag.Cluster{MapSlots: slots}, Jobs: []dag.Job{{
		Node: "j",
		Stages: dag.MapReduce(dag.Stage{
			Tasks: maps, Known: true,
			Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(20)}},
		}, dag.Stage{Known: true}),
	}}}
}

// uneven is a plan of two jobs with tasks of different sizes.
func uneven(maps, slots int) *dag.Plan {
	p := &dag.Plan{Name: "uneven", Cluster: dag.Cluster{MapSlots: slots}}
	for _, node := range []string{"a", "b"} {
		sizes := make([]float64, maps)
		for i := range sizes {
			sizes[i] = float64(1000 + i*7919%5003) // a permutation, more or less
		}
		p.Jobs = append(p.Jobs, dag.Job{Node: node, Stages: dag.MapReduce(dag.Stage{
			Tasks: maps, Known: true, Pipelines: []dag.Pipeline{{Tuples: dag.Each(sizes), Alpha: dag.Uniform(10)}},
		}, dag.Stage{Known: true})})
	}
	p.Jobs[1].After = []int{0}
	return p
}
