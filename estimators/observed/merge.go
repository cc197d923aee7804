package observed

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Merge makes one profile of several runs of the same script, oldest first. Sizes and numbers of tasks are the newest
// run's; costs and pauses are means over the runs that know them. ok is false where a run is of another script.
func Merge(runs []*dag.Plan) (merged *dag.Plan, ok bool) {
	out := *runs[len(runs)-1]
	out.Jobs = append([]dag.Job(nil), out.Jobs...)
	sums := make([][2][dag.Pipelines]tally, len(out.Jobs))
	for _, run := range runs {
		m, n := matchPlan(&out, run)
		if n == 0 {
			return nil, false
		}
		for j := range out.Jobs {
			if known := m.job(j); known != nil {
				for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
					for p, pipe := range known.Phase(k).Pipelines {
						if pipe.Alpha.IsUniform() && pipe.Alpha.Known() {
							sums[j][k][p].add(pipe.Alpha.At(0))
						}
					}
				}
			}
		}
	}
	for j := range out.Jobs {
		for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
			phase := out.Jobs[j].Phase(k)
			phase.Pipelines = append([]dag.Pipeline(nil), phase.Pipelines...)
			for p := range phase.Pipelines {
				if sum := sums[j][k][p]; sum.n > 0 && phase.Pipelines[p].Alpha.IsUniform() {
					phase.Pipelines[p].Alpha = dag.Uniform(round(sum.mean()))
				}
			}
		}
	}
	out.Overheads = meanOverheads(runs)
	return &out, true
}

// A tally is a sum and of how many.
type tally struct {
	sum float64
	n   int
}

func (t *tally) add(v float64) { t.sum, t.n = t.sum+v, t.n+1 }
func (t *tally) mean() float64 { return t.sum / float64(t.n) }

// meanOverheads are the means over the runs that know them: 0 is unknown.
func meanOverheads(runs []*dag.Plan) dag.Overheads {
	mean := func(of func(*dag.Overheads) time.Duration) time.Duration {
		var t tally
		for _, run := range runs {
			if d := of(&run.Overheads); d > 0 {
				t.add(float64(d))
			}
		}
		if t.n == 0 {
			return 0
		}
		return time.Duration(t.mean()).Round(time.Millisecond)
	}
	newest := runs[len(runs)-1].Overheads
	newest.Launch = mean(func(o *dag.Overheads) time.Duration { return o.Launch })
	newest.AMStart = mean(func(o *dag.Overheads) time.Duration { return o.AMStart })
	newest.Finish = mean(func(o *dag.Overheads) time.Duration { return o.Finish })
	newest.Wave = mean(func(o *dag.Overheads) time.Duration { return o.Wave })
	newest.Stagger = mean(func(o *dag.Overheads) time.Duration { return o.Stagger })
	newest.Handoff = mean(func(o *dag.Overheads) time.Duration { return o.Handoff })
	newest.AMHold = mean(func(o *dag.Overheads) time.Duration { return o.AMHold })
	newest.Copy = mean(func(o *dag.Overheads) time.Duration { return o.Copy })
	newest.SetupMin = mean(func(o *dag.Overheads) time.Duration { return o.SetupMin })
	newest.SetupPer = mean(func(o *dag.Overheads) time.Duration { return o.SetupPer })
	newest.Cold = mean(func(o *dag.Overheads) time.Duration { return o.Cold })
	return newest
}
