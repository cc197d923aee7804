package cost

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// TestGrowthOfTheLastTasks has a stage whose tasks have all shown their units; by rounding alone the sum is less than
// the profile's total. It also has a stage of 1,000 tasks with one left, while the input is expected to be a tenth
// larger: that task is at most fifty times as large.
func TestGrowthOfTheLastTasks(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name           string
		units          []float64 // of the profile's tasks
		total, written float64
		ended          int
		least, most    float64 // growth of the tasks that are left
	}{
		{"all shown", []float64{0.3, 0.2, 0.1}, math.Nextafter(0.6, 1), 0.9, 3, 0.99, 1.01},
		{"one of many left", make([]float64, 1000), 1000, 1100, 999, 40, 60},
	} {
		if x.ended > 3 {
			for i := range x.units {
				x.units[i] = 1
			}
		}
		n := len(x.units)
		plan := &dag.Plan{Jobs: []dag.Job{{Stages: []dag.Stage{
			{Name: "scan", Tasks: 1, Known: true},
			{Name: "sum", Tasks: n, Known: true, After: []dag.Edge{{From: 0, Kind: dag.Barrier}}},
		}}}}
		o := &observations{numbers: &Spark, s: &dag.Snapshot{Plan: plan}, stages: [][]stage{make([]stage, 2)}}
		from, st := &o.stages[0][0], &o.stages[0][1]
		*from = stage{plan: &plan.Jobs[0].Stages[0], n: 1}
		from.wrote, from.ended = x.written, []*observation{{}}
		*st = stage{k: 1, plan: &plan.Jobs[0].Stages[1], job: &plan.Jobs[0], n: n, prior: prior{
			Tasks: profiles.Tasks{N: n, Records: true, Units: x.units, Total: x.total}, in: x.total,
		}}
		for i := range x.ended {
			st.ended = append(st.ended, &observation{task: i, units: x.units[i]})
		}
		g := o.growthOf(st)
		if left := math.Exp(g.left); !g.known || left < x.least || left > x.most {
			t.Errorf("%s: the tasks that are left are %.3g times as large", x.name, left)
		}
	}
}
