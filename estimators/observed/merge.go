package observed

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// Merge makes one profile of several runs of the same script, oldest first. Sizes and numbers of tasks are the newest
// run's; key groups are those of the newest run that had any, and as many reduces; costs and pauses are means over the runs
// that know them, weighted by weights (nil: all alike); residuals are those of all runs, in their order. ok is false where
// a run is of another script.
func Merge(runs []*dag.Plan, weights []float64) (merged *dag.Plan, ok bool) {
	out := *runs[len(runs)-1]
	out.Jobs = append([]dag.Job(nil), out.Jobs...)
	out.Residuals, out.InputSizes = nil, nil
	var sizes []float64
	sums := make([][2][dag.Pipelines]tally, len(out.Jobs))
	for i, run := range runs {
		m, n := matchPlan(&out, run)
		if n == 0 {
			return nil, false
		}
		out.Residuals = append(out.Residuals, run.Residuals...)
		sizes = append(sizes, inputSizes(run)...)
		for j := range out.Jobs {
			if known := m.job(j); known != nil {
				if g := known.Reduce.Groups; g != nil && known.Reduce.Count() == out.Jobs[j].Reduce.Count() {
					out.Jobs[j].Reduce.Groups = g
				}
				for _, k := range []dag.Kind{dag.Map, dag.Reduce} {
					for p, pipe := range known.Phase(k).Pipelines {
						if pipe.Alpha.IsUniform() && pipe.Alpha.Known() {
							sums[j][k][p].add(pipe.Alpha.At(0), weight(weights, i))
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
				if sum := sums[j][k][p]; sum.weight > 0 && phase.Pipelines[p].Alpha.IsUniform() {
					phase.Pipelines[p].Alpha = dag.Uniform(round(sum.mean()))
				}
			}
		}
	}
	if out.InputSizes = sizes[max(0, len(sizes)-dag.MaxInputSizes):]; len(out.InputSizes) < 2 {
		out.InputSizes = nil
	}
	out.Overheads = meanOverheads(runs, weights)
	return &out, true
}

// halfLife is after how many later runs a run weighs half in a mean. Costs follow a cluster that changes within a week
// of nightly runs; five runs still take most of the noise of one away. Ages are counted in runs, not in days: a script
// that runs once a month is no less known than one that runs each hour, and clocks may step.
const halfLife = 5

// Weights are what each of n runs, oldest first, counts in a mean of them; the newest counts 1.
func Weights(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = math.Exp2(-float64(n-1-i) / halfLife)
	}
	return w
}

func weight(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// A tally is a weighted sum and its weight.
type tally struct{ sum, weight float64 }

func (t *tally) add(v, weight float64) { t.sum, t.weight = t.sum+v*weight, t.weight+weight }
func (t *tally) mean() float64         { return t.sum / t.weight }

// meanOverheads are the means over the runs that know them: 0 is unknown.
func meanOverheads(runs []*dag.Plan, weights []float64) dag.Overheads {
	mean := func(of func(*dag.Overheads) time.Duration) time.Duration {
		var t tally
		for i, run := range runs {
			if d := of(&run.Overheads); d > 0 {
				t.add(float64(d), weight(weights, i))
			}
		}
		if t.weight == 0 {
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
