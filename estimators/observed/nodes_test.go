package observed

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// paced is a model with one phase whose attempts have shown paces.
func paced(list ...pace) *Model {
	m := &Model{Snapshot: &dag.Snapshot{Nodes: []dag.NodeState{
		{Name: "a", MemoryMB: 1024},
		{Name: "b", MemoryMB: 1024},
		{Name: "c", MemoryMB: 1024},
		{Name: "d", MemoryMB: 1024},
	}}, phases: make([][2]phase, 1)}
	st := &m.phases[0][dag.Map].seen
	st.nodeUnits = map[int32]float64{}
	for _, p := range list {
		st.sample(p.node, p.ms, p.units)
	}
	m.learnNodes()
	m.warnNodes()
	return m
}

func TestSlowNode(t *testing.T) {
	for _, c := range []struct {
		name  string
		paces []pace
		want  float64 // factor of node 3
		said  int     // warnings
		alpha float64 // of the phase, on a usual node
	}{
		{"twice as slow", []pace{
			{0, 10_000, 1000},
			{1, 10_100, 1000},
			{2, 9900, 1000},
			{3, 20_000, 1000},
			{3, 20_200, 1000},
		}, 2, 1, 10},
		{"one attempt", []pace{{0, 10_000, 1000}, {1, 10_100, 1000}, {2, 9900, 1000}, {3, 20_000, 1000}}, 2, 0, 10},
		{"large tasks", []pace{{0, 10_000, 1000}, {1, 10_100, 1000}, {3, 50_000, 5000}, {3, 51_000, 5000}}, 1, 0, 10},
		{"one odd task of three", []pace{
			{0, 10_000, 1000},
			{1, 10_100, 1000},
			{3, 10_000, 1000},
			{3, 10_100, 1000},
			{3, 19_000, 1000},
		}, 1, 0, 11.8},
		{"too little work", []pace{{0, 10_000, 1000}, {1, 10_000, 1000}, {3, 1200, 60}, {3, 1200, 60}}, 1, 0, 10.6},
		{"attempts differ as much among themselves", []pace{
			{0, 10_000, 1000},
			{0, 20_000, 1000},
			{1, 7000, 1000},
			{1, 16_000, 1000},
			{3, 12_000, 1000},
			{3, 25_000, 1000},
		}, 1, 0, 15},
	} {
		m := paced(c.paces...)
		if got := m.nodes.factor(3); math.Abs(got-c.want) > 0.05 {
			t.Errorf("%s: factor %v, want %v", c.name, got, c.want)
		}
		if len(m.Warnings) != c.said {
			t.Errorf("%s: said %v", c.name, m.Warnings)
		}
		if alpha, _ := m.phases[0][dag.Map].seen.alpha(); math.Abs(alpha-c.alpha) > 0.2 {
			t.Errorf("%s: %v ms a unit, want %v", c.name, alpha, c.alpha)
		}
	}
	if got := paced(pace{0, 10_000, 1000}, pace{1, 10_000, 1000}, pace{3, 20_000, 1000}).nodes.factor(-1); math.Abs(
		got-1.25) > 1e-9 {
		t.Errorf("on any of four nodes of which one is twice as slow: %v", got)
	}
}

// TestSetupByNode: a node's start-ups are its own, drawn towards the law.
func TestSetupByNode(t *testing.T) {
	l := setupLaw{alone: 500, each: 500}
	var seen []startedUp
	for range 9 {
		seen = append(seen, startedUp{0, 1, 1000}, startedUp{1, 1, 3000})
	}
	l.learnNodes(seen)
	if l.on(0) != 1 || l.on(1) != 2.5 || l.on(2) != 1 || l.on(-1) != 1 {
		t.Errorf("%v %v %v %v, want 1, (9 · 3 + 3)/(9 + 3), and 1 where none was seen", l.on(0), l.on(1), l.on(2),
			l.on(-1))
	}
}
