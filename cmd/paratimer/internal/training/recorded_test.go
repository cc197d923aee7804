package training

import (
	"math"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/ernest"
)

// fifo is a plan of two jobs, one after the other, on a cluster of slots.
func fifo(maps int, records float64) *dag.Plan {
	ph := func(n int, tuples float64) dag.Stage {
		return dag.Stage{
			Known: true, Tasks: n,
			Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(tuples), Alpha: dag.Uniform(1)}},
		}
	}
	return &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 6, ReduceSlots: 3},
		Jobs: []dag.Job{
			{Node: "a", Stages: dag.MapReduce(ph(maps, records), ph(2, 10))},
			{Node: "b", After: []int{0}, Stages: dag.MapReduce(ph(2, 1e9), dag.Stage{})},
		},
	}
}

// yarn is a plan of one job on a cluster of containers.
func yarn(tasks, memory, limit int) *dag.Plan {
	return &dag.Plan{
		Cluster: dag.Cluster{Policy: dag.YARN, MemoryMB: memory},
		Jobs: []dag.Job{{
			Node: "a", MasterMB: 512,
			MapReduce: dag.MapReduceLimits{MapMB: 256, ReduceMB: 256, MaxMaps: limit, MaxReduces: limit},
			Stages:    dag.MapReduce(dag.Stage{Known: true, Tasks: tasks, Bytes: dag.Uniform(100)}, dag.Stage{}),
		}},
	}
}

// spark is a plan of two stages on executors. The second reads the first.
func spark(cores int, tasks ...int) *dag.Plan {
	job := dag.Job{Node: "application"}
	for i, n := range tasks {
		s := dag.Stage{Known: true, Tasks: n, Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(50)}}}
		if i == 1 {
			s.After = []dag.Edge{{From: 0, Kind: dag.Barrier}}
		}
		job.Stages = append(job.Stages, s)
	}
	return &dag.Plan{Cluster: dag.Cluster{Policy: dag.Executors, Cores: cores}, Jobs: []dag.Job{job}}
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name                     string
		plan                     *dag.Plan
		machines, records, bytes float64
		why                      string
	}{
		{"slots", fifo(20, 50), 6, 1000, math.NaN(), ""},
		{"more slots than tasks", fifo(4, 50), 4, 200, math.NaN(), ""},
		{"containers beside the AM", yarn(40, 3072, 0), 10, math.NaN(), 4000, ""},
		{"a job's own limit", yarn(40, 3072, 3), 3, math.NaN(), 4000, ""},
		{"a limit and no memory", yarn(40, 0, 3), 3, math.NaN(), 4000, ""},
		{"executors", spark(4, 10, 6), 4, 500, math.NaN(), ""},
		{"two scans on executors", spark(16, 10, 6, 5), 10, 750, math.NaN(), ""},
		{"one stage on executors", spark(4, 3), 3, 150, math.NaN(), ""},
		{"no memory", yarn(40, 0, 0), 0, 0, 0, "the number of tasks at once is unknown"},
		{"no tasks", yarn(0, 3072, 0), 0, 0, 0, "none of its tasks is known"},
		{"no input", fifo(20, 0), 0, 0, 0, "the size of its input is unknown"},
		{"input of some tasks", fifo(20, math.NaN()), 0, 0, 0, "the size of its input is unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := RunOf("run", c.plan, 60)
			if c.why != "" {
				if err == nil || err.Error() != c.why {
					t.Fatalf("got %v, want %q", err, c.why)
				}
				return
			}
			if err != nil || r.Machines != c.machines || !same(r.Records, c.records) || !same(r.Bytes, c.bytes) ||
				r.Seconds != 60 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	if _, err := RunOf("run", fifo(20, 50), math.NaN()); err == nil ||
		err.Error() != "its length is unknown" {
		t.Error(err)
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestOfRecorded(t *testing.T) {
	nan := math.NaN()
	all := []Run{
		{Name: "one", Machines: 4, Records: 250, Bytes: nan, Seconds: 12.5},
		{Name: "two", Machines: 8, Records: 1000, Bytes: 5, Seconds: 30},
		{Name: "three", Machines: 8, Records: nan, Bytes: 6, Seconds: 40},
	}
	r, left, unit := OfRecorded("logs", all)
	want := []ernest.Row{{Machines: 4, Scale: 0.25, Seconds: 12.5}, {Machines: 8, Scale: 1, Seconds: 30}}
	if !slices.Equal(r.Rows, want) || len(left) != 1 || left[0].Name != "three" || unit != "records" || r.File != "logs" {
		t.Errorf("%+v, left %+v, %s", r, left, unit)
	}
	// Bytes where more runs know them.
	r, left, unit = OfRecorded("logs", append(all[1:], Run{Machines: 2, Records: nan, Bytes: 3, Seconds: 1}))
	if len(r.Rows) != 3 || len(left) != 0 || unit != "bytes" || r.Rows[2].Scale != 0.5 {
		t.Errorf("%+v, left %+v, %s", r, left, unit)
	}
}
