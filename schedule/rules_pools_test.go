package schedule

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// TestPools holds that stages of two pools share the cores alike, those of one pool one after the other, and that a
// replay to the end alone ends at the same instant.
func TestPools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pools [3]string
		want  string
	}{
		{[3]string{}, "a0@0 a1@0 a2@10 b0@10 b1@20 c0@20 c1@24"},
		{[3]string{"x", "y", "y"}, "a0@0 a1@10 a2@20 b0@0 b1@10 c0@20 c1@24"},
		{[3]string{"y", "x", "y"}, "a0@0 a1@10 a2@20 b0@0 b1@10 c0@20 c1@24"},
	} {
		plan := &dag.Plan{
			Cluster: dag.Cluster{Policy: dag.Executors, Cores: 2},
			Jobs: []dag.Job{{Node: "q", Stages: []dag.Stage{
				{Name: "a", Tasks: 3, Known: true, Pool: c.pools[0]},
				{Name: "b", Tasks: 2, Known: true, Pool: c.pools[1]},
				{Name: "c", Tasks: 2, Known: true, Pool: c.pools[2]},
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
			t.Errorf("pools %v: %s, want %s", c.pools, got, c.want)
		}
		only, err := Replay(blankSnapshot(plan), left, Options{EndOnly: &EndOnly{}})
		if err != nil || only.End != sch.End {
			t.Errorf("pools %v: the end alone is %v, %v, want %v", c.pools, only, err, sch.End)
		}
	}
}
