package main

import "github.com/paratimer/paratimer/dag"

// minWork is the work, in milliseconds, from which a phase's pace says anything: ratios of less are noise.
const minWork = 3000

// alike says that all phases of two runs differ by one factor, give or take a quarter: then one slowdown explains the
// other run. Where each job has its own pace no profile can know before it has seen them all.
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

// pace is a phase's milliseconds a tuple, 0 where it has too little work.
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
