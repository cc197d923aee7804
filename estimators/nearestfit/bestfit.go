package nearestfit

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/internal/powerfit"
	"github.com/paratimer/paratimer/estimators/internal/smoothing"
)

// choose finds the fit of rule 4 for each task without a good fit of its own: the one with the least squared error
// on the task's points, each counted once; for a task without points the one with the highest R2. Of equal ones,
// the lowest task's.
func (p *Prediction) choose() {
	var fits []*powerfit.Fit
	for i := range p.tasks {
		if f := p.tasks[i].fit; f != nil {
			fits = append(fits, f)
		}
	}
	if len(fits) == 0 {
		return
	}
	if p.params.Pooled {
		fits = fits[:1]
	}
	clearest := slices.MaxFunc(fits, func(a, b *powerfit.Fit) int { return cmp.Compare(a.R2, b.R2) })
	for i := range p.tasks {
		if own := p.tasks[i].fit; own == nil || own.R2 < p.params.R2 {
			p.tasks[i].best = leastSquares(fits, p.tasks[i].points, clearest)
		}
	}
}

// leastSquares returns the first fit with the least squared error, or other if there are no points.
func leastSquares(fits []*powerfit.Fit, points []smoothing.Point, other *powerfit.Fit) *powerfit.Fit {
	if len(points) == 0 || len(fits) == 1 {
		return other
	}
	best, low := fits[0], math.Inf(1)
	for _, f := range fits {
		sse := 0.0
		for _, c := range points {
			d := c.Mean - f.At(c.Size)
			sse += d * d
		}
		if sse < low {
			best, low = f, sse
		}
	}
	return best
}
