package nearestfit

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/estimators/internal/powerfit"
	"github.com/paratimer/paratimer/estimators/internal/smoothing"
)

// maxChoice bounds the evaluations of fits in choosing the best ones. Beyond it, fewer points of a task are used,
// and fewer fits, those of the highest R2.
const maxChoice = 1 << 22

// minJudge is the least number of points used for a task, if it has them.
const minJudge = 32

// choose finds the fit of rule 4 for each task without a good fit of its own: the one with the least squared error
// on the task's points, each counted once; for a task without points the one with the highest R2. Of equal ones,
// the lowest task's.
func (p *Prediction) choose() {
	var fits []*powerfit.Fit
	asking := 0
	for i := range p.tasks {
		if f := p.tasks[i].fit; f != nil {
			fits = append(fits, f)
		}
		if p.asks(i) {
			asking++
		}
	}
	if p.params.Pooled && len(fits) > 0 {
		fits = fits[:1]
	}
	if len(fits) == 0 || asking == 0 {
		return
	}
	byR2 := slices.Clone(fits)
	slices.SortStableFunc(byR2, func(a, b *powerfit.Fit) int { return cmp.Compare(b.R2, a.R2) })
	each := maxChoice / asking
	points := max(minJudge, each/len(fits))
	if n := max(1, each/points); n < len(fits) {
		fits = byR2[:n]
	}
	for i := range p.tasks {
		if p.asks(i) {
			p.tasks[i].best = leastSquares(fits, some(p.tasks[i].points, points), byR2[0])
		}
	}
}

func (p *Prediction) asks(task int) bool {
	f := p.tasks[task].fit
	return f == nil || f.R2 < p.params.R2
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

// some returns at most n points, evenly spaced, including the last one.
func some(points []smoothing.Point, n int) []smoothing.Point {
	if len(points) <= n {
		return points
	}
	out := make([]smoothing.Point, n)
	for i := range out {
		out[i] = points[(i+1)*len(points)/n-1]
	}
	return out
}
