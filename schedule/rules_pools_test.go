package schedule

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// TestPools checks which stages Spark's FAIR scheduler serves, computed by hand from its FairSchedulingAlgorithm: pools
// below their minimal share, then by what runs for their weight, and that a replay to the end alone ends at the same
// instant. Tasks of a and b take 10 s, those of c 4 s.
func TestPools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		cores  int
		stages [3]string
		pools  []dag.Pool
		want   string
	}{
		{"one FIFO pool", 2, [3]string{}, nil, "a0@0 a1@0 a2@10 b0@10 b1@20 c0@20 c1@24"},
		{"pools that nothing tells of", 2, [3]string{"x", "y", "y"}, nil, "a0@0 a1@10 a2@20 b0@0 b1@10 c0@20 c1@24"},
		{"ties by name", 2, [3]string{"y", "x", "y"}, nil, "a0@0 a1@10 a2@20 b0@0 b1@10 c0@20 c1@24"},
		{
			// At 0 each pool gets a core, and x, that runs 1 for its weight of 3, the two others.
			"weights", 4,
			[3]string{"x", "y", "y"},
			[]dag.Pool{{Name: "x", Weight: 3}, {Name: "y", Weight: 1}},
			"a0@0 a1@0 a2@0 b0@0 b1@10 c0@10 c1@10",
		},
		{
			// y gets both cores before x has any, at 0 as at 10.
			"a minimal share", 2,
			[3]string{"x", "y", "y"},
			[]dag.Pool{{Name: "y", Weight: 1, MinShare: 2}},
			"a0@14 a1@14 a2@24 b0@0 b1@0 c0@10 c1@10",
		},
		{
			"the minimal share of the first", 2,
			[3]string{"x", "y", "y"},
			[]dag.Pool{{Name: "x", Weight: 1, MinShare: 2}},
			"a0@0 a1@0 a2@10 b0@10 b1@20 c0@20 c1@24",
		},
		{
			// a0 fills half of x' share, b0 a quarter of y's: y gets the third core as well.
			"two minimal shares", 3,
			[3]string{"x", "y", "y"},
			[]dag.Pool{{Name: "x", Weight: 1, MinShare: 2}, {Name: "y", Weight: 1, MinShare: 4}},
			"a0@0 a1@10 a2@14 b0@0 b1@0 c0@10 c1@10",
		},
		{
			"no weight", 2,
			[3]string{"x", "y", "y"},
			[]dag.Pool{{Name: "x", Weight: 0}, {Name: "y", Weight: 1}},
			"a0@14 a1@14 a2@24 b0@0 b1@0 c0@10 c1@10",
		},
		{
			"one fair pool", 2,
			[3]string{"x", "x", "x"},
			[]dag.Pool{{Name: "x", Weight: 1, Fair: true}},
			"a0@0 a1@10 a2@20 b0@0 b1@10 c0@20 c1@24",
		},
		{
			// y gets two of the three cores, one for each of its stages.
			"a fair pool beside another", 3,
			[3]string{"x", "y", "y"},
			[]dag.Pool{{Name: "x", Weight: 1}, {Name: "y", Weight: 3, Fair: true}},
			"a0@0 a1@10 a2@10 b0@0 b1@8 c0@0 c1@4",
		},
	} {
		plan := &dag.Plan{
			Cluster: dag.Cluster{Policy: dag.Executors, Cores: c.cores, Pools: c.pools},
			Jobs: []dag.Job{{Node: "q", Stages: []dag.Stage{
				{Name: "a", Tasks: 3, Known: true, Pool: c.stages[0]},
				{Name: "b", Tasks: 2, Known: true, Pool: c.stages[1]},
				{Name: "c", Tasks: 2, Known: true, Pool: c.stages[2]},
			}}},
		}
		left := func(t Task) Cost {
			return Cost{Work: []time.Duration{10 * second, 10 * second, 4 * second}[t.Stage], Same: 1}
		}
		sch, err := Replay(blankSnapshot(plan), left, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := startsOf(plan, sch); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		only, err := Replay(blankSnapshot(plan), left, Options{EndOnly: &EndOnly{}})
		if err != nil || only.End != sch.End {
			t.Errorf("%s: the end alone is %v, %v, want %v", c.name, only, err, sch.End)
		}
	}
}
