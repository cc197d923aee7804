package observed

import (
	"math"

	"github.com/paratimer/paratimer/estimators"
)

// spreadStep is how finely tasks' spreads are told apart: each step's factors are made once.
const spreadStep = 0.05

// sampling draws what reduces have left by their key groups: a common factor for the job's curve, which was as far off
// as the groups that have ended showed, and each task's own, which is what its groups' errors leave in a sum.
func (w *groupWork) sampling() phaseSampling {
	p := phaseSampling{own: estimators.NewFactors(nil, workSigma), rate: w.common, each: make([]estimators.Factors,
		len(w.spread))}
	made := map[int]estimators.Factors{}
	for i, sigma := range w.spread {
		step := int(math.Ceil(sigma / spreadStep))
		f, ok := made[step]
		if !ok {
			f = estimators.NewFactors(nil, float64(step)*spreadStep)
			made[step] = f
		}
		p.each[i] = f
	}
	return p
}
