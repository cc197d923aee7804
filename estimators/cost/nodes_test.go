package cost

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestSlowNode checks when tasks show that their node is slow, and when a reader is warned of it.
func TestSlowNode(t *testing.T) {
	t.Parallel()
	type task struct {
		node        int32
		ms, records float64
	}
	for _, c := range []struct {
		name        string
		tasks       []task
		least, most float64 // factor of node 3
		warnings    int
	}{
		{"twice as slow", []task{
			{0, 10_000, 1000}, {1, 10_100, 1000}, {2, 9900, 1000}, {3, 20_000, 1000}, {3, 20_200, 1000},
		}, 1.3, 2.1, 1},
		{"large tasks", []task{{0, 10_000, 1000}, {1, 10_100, 1000}, {3, 50_000, 5000}, {3, 51_000, 5000}}, 1, 1, 0},
		{"one odd task of three", []task{
			{0, 10_000, 1000}, {1, 10_100, 1000}, {3, 10_000, 1000}, {3, 10_100, 1000}, {3, 19_000, 1000},
		}, 1, 1, 0},
		{"too little work", []task{{0, 500, 50}, {1, 500, 50}, {3, 990, 50}, {3, 990, 50}}, 1, 1, 0},
		{"tasks differ as much among themselves", []task{
			{0, 10_000, 1000},
			{0, 20_000, 1000},
			{1, 7000, 1000},
			{1, 16_000, 1000},
			{3, 12_000, 1000},
			{3, 25_000, 1000},
		}, 1, 1, 0},
	} {
		s := mapping(100_000, 25, 600)
		s.Plan.Overheads.SetupMin, s.Plan.Overheads.SetupPer, s.Plan.Overheads.Cold = 1e6, 1e6, 1e6 // 1 ms
		s.Jobs[0].Stages[dag.Map].Attempts = nil
		for _, name := range []string{"a", "b", "c", "d"} {
			s.Nodes = append(s.Nodes, dag.NodeState{Name: name, MemoryMB: 2560, LostAt: dag.NoInstant})
		}
		for i, x := range c.tasks {
			a := mapOf(int32(i), 5000, 0, x.ms/x.records, x.records, 100_000)
			silence(&a)
			a.Node = x.node
			s.Jobs[0].Stages[dag.Map].Attempts = append(s.Jobs[0].Stages[dag.Map].Attempts, a)
		}
		m := modelOf(s)
		within(t, c.name, m.nodes.factor(3), c.least, c.most)
		near(t, c.name+": a node that is not known", m.nodes.factor(-1), 1, 0)
		if w := m.nodes.warnings(s); len(w) != c.warnings || len(m.nodes.factors()) != c.warnings {
			t.Errorf("%s: warnings %v, factors %v", c.name, w, m.nodes.factors())
		}
		if s.Nodes[3].Lost = true; len(modelOf(s).nodes.warnings(s)) > 0 {
			t.Errorf("%s: a warning of a lost node", c.name)
		}
	}
}
