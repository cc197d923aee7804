package paper

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// docs/facts/paratimer.md P16: own value, else that of the pipeline's type, else that of all, else 1.
func TestObservedSlowdown(t *testing.T) {
	plan := slowPlan()
	for _, c := range []struct {
		name string
		run  dag.Run
		want float64
		own  bool
	}{
		{"one look", runOf(running(plan, 5000, 300)), 1, false},
		{"as planned", runOf(running(plan, 5000, 300), running(plan, 7000, 500)), 1, true},
		{"half the speed", runOf(running(plan, 5000, 300), running(plan, 9000, 500)), 2, true},
		{"a tuple more or less is no slowdown", runOf(running(plan, 5000, 300), running(plan,
			7009, 500)), 1, true},
		{"the time before the first tuple does not count", runOf(running(plan, 1000, 0),
			running(plan, 5000, 300),
			running(plan, 9000, 500)), 2, true},
		{"nor does that after the last", runOf(running(plan, 5000, 300), running(plan, 9000, 500),
			running(plan, 30_000, 1000)), 2, true},
		{
			"too little work to say", runOf(running(plan, 5000, 300), running(plan, 6000, 305)), 1,
			false,
		},
		{"clipped above", runOf(running(plan, 5000, 300), running(plan, 65_000, 370)), 10, true},
		{"clipped below", runOf(running(plan, 5000, 100), running(plan, 5100, 900)), 0.1, true},
		{"a minute is remembered", runOf(running(plan, 5000, 100), running(plan, 10_000, 200),
			running(plan, 70_000, 900)), 60. / 7, true},
	} {
		s := ObservedSlowdown(c.run)
		if got, own := s.At(0, dag.Map, 0); got != c.want || own != c.own {
			t.Errorf("%s: %v (own %v), want %v", c.name, got, own, c.want)
		}
		if got, own := s.At(1, dag.Map, 0); got != c.want || own {
			t.Errorf("%s: job 2 has %v (own %v), want job 1's %v", c.name, got, own, c.want)
		}
		if got, own := s.At(1, dag.Reduce, dag.Work); got != c.want || own {
			t.Errorf("%s: reduces have %v (own %v), want that of all, %v", c.name, got, own, c.want)
		}
	}
}
