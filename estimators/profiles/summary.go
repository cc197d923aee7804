package profiles

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// Summary returns a profile with means instead of the values of each task, in stages of more than most tasks; short
// is false if there are none. Their key groups are left out. Numbers of tasks, costs, pauses and residuals stay;
// only the differences between tasks are lost.
func Summary(profile *dag.Plan, most int) (summary *dag.Plan, short bool) {
	out := *profile
	out.Jobs = dag.CloneJobs(out.Jobs)
	for j := range out.Jobs {
		for k := range out.Jobs[j].Stages {
			if ph := &out.Jobs[j].Stages[k]; valuesOf(ph) > most {
				*ph = meanPhase(ph)
				short = true
			}
		}
	}
	return &out, short
}

// valuesOf returns the length of the longest series of a stage.
func valuesOf(ph *dag.Stage) int {
	n := 0
	for _, s := range []*dag.Series{&ph.Setup, &ph.Out, &ph.Bytes, &ph.Extent} {
		n = max(n, len(s.Values()))
	}
	for p := range ph.Pipelines {
		n = max(n, len(ph.Pipelines[p].Tuples.Values()), len(ph.Pipelines[p].Alpha.Values()))
	}
	if ph.Groups != nil {
		n = max(n, len(ph.Groups.Reduces))
	}
	return n
}

func meanPhase(ph *dag.Stage) dag.Stage {
	out := *ph
	out.Groups = nil
	out.Setup, out.Out, out.Bytes, out.Extent = meanOf(ph.Setup, nil), meanOf(ph.Out, nil), meanOf(ph.Bytes, nil),
		meanOf(ph.Extent, nil)
	out.Pipelines = make([]dag.Pipeline, len(ph.Pipelines))
	for p, pipe := range ph.Pipelines {
		out.Pipelines[p] = dag.Pipeline{Tuples: meanOf(pipe.Tuples, nil), Alpha: meanOf(pipe.Alpha, &pipe.Tuples)}
	}
	return out
}

// meanOf returns the mean of the known values, weighted by by if it is given: the cost of a tuple is that of all
// tuples, not of all tasks.
func meanOf(s dag.Series, by *dag.Series) dag.Series {
	if s.IsUniform() {
		return s
	}
	var t tally
	for i, v := range s.Values() {
		w := 1.0
		if by != nil {
			w = by.At(i)
		}
		if !math.IsNaN(v) && !math.IsNaN(w) {
			t.add(v, w)
		}
	}
	if t.weight == 0 {
		return dag.Series{}
	}
	return dag.Uniform(Round(t.mean()))
}
