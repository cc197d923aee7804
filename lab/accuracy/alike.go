package main

import "github.com/paratimer/paratimer/dag"

// minWork is the least work, in milliseconds, for which a phase's pace is meaningful. Ratios of less work are noise.
const minWork = 3000

// alike reports whether all phases of two runs differ by one factor, within a quarter. One slowdown then explains the
// other run. If each job has its own pace, a profile cannot predict it before all jobs have run.
func alike(a, b *dag.Plan) bool {
	if len(a.Jobs) != len(b.Jobs) {
		return false
	}
	least, most := 0.0, 0.0
	for j := range a.Jobs {
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			x, y := pace(&a.Jobs[j].Stages[k]), pace(&b.Jobs[j].Stages[k])
			if x == 0 || y == 0 {
				continue
			}
			r := x / y
			if least == 0 {
				least, most = r, r
			}
			least, most = min(least, r), max(most, r)
		}
	}
	return most <= 1.25*least
}

// pace returns a phase's milliseconds per tuple, 0 if it has too little work.
func pace(p *dag.Stage) float64 {
	if len(p.Pipelines) == 0 {
		return 0
	}
	last := p.Pipelines[len(p.Pipelines)-1]
	if alpha := last.Alpha.At(0); last.Tuples.Sum(p.Count())*alpha >= minWork {
		return alpha
	}
	return 0
}
