package whatif

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/internal/testkit/golden"
)

// large is a plan of three jobs with 10,000 tasks of unlike sizes, the third after the others.
func large(policy dag.Policy) *dag.Plan {
	p := &dag.Plan{Name: "large", Cluster: dag.Cluster{
		Policy: policy, MapSlots: 200, ReduceSlots: 100, SlotsPerNode: 2,
		MemoryMB: 300 * 1024, Setup: time.Second,
	}}
	phase := func(n int, pipes int) dag.Stage {
		sizes := make([]float64, n)
		for i := range sizes {
			sizes[i] = float64(1000 + i*7919%997)
		}
		ph := dag.Stage{Known: true, Tasks: n}
		for range pipes {
			ph.Pipelines = append(ph.Pipelines, dag.Pipeline{Tuples: dag.Each(sizes), Alpha: dag.Uniform(10)})
		}
		return ph
	}
	for _, node := range []string{"a", "b", "c"} {
		p.Jobs = append(p.Jobs, dag.Job{
			Node: node, Stages: dag.MapReduce(phase(3000, 1), phase(333, 3)),
			MasterMB: 1024, MapReduce: dag.MapReduceLimits{MapMB: 1024, ReduceMB: 1024, SlowStart: 0.05, RampUp: 0.5},
		})
	}
	p.Jobs[2].After = []int{0, 1}
	return p
}

// A curve of 32 points for 10,000 tasks is to take less than a second.
func BenchmarkCurve(b *testing.B) {
	for _, policy := range []dag.Policy{dag.FIFO, dag.YARN} {
		b.Run(policy.String(), func(b *testing.B) {
			r := NewReplay(dag.Run{}.Append(golden.Start(large(policy))), cost.Costs)
			for b.Loop() {
				c, err := r.Curve()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(c.Points)), "points")
			}
		})
	}
}

// The costly questions about a large plan, but the reading of it.
func BenchmarkPredict(b *testing.B) {
	r := NewReplay(dag.Run{}.Append(golden.Start(large(dag.FIFO))), cost.Costs)
	for b.Loop() {
		for _, c := range []Change{
			{}, {Scale: 2}, {Failures: []Failure{{What: FailTask}}}, {Failures: []Failure{{What: FailNode}}},
		} {
			if _, err := r.Predict(c); err != nil {
				b.Fatal(err)
			}
		}
	}
}
