package estimators

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// Probability is how likely it is that exactly n attempts fail while tasks hold slots for ms milliseconds in all: the
// negative binomial distribution, which a Poisson process has whose rate is drawn from a Gamma distribution.
func (l FailureLaw) Probability(n int, ms float64) float64 {
	share := ms / (l.ms + ms)
	p := math.Pow(1-share, l.shape)
	for k := range n {
		p *= (l.shape + float64(k)) / float64(k+1) * share
	}
	return p
}

// supposing gives an estimate the probability that exactly n attempts fail from now on, which is what its scenario
// supposes (section 3). It is the law of the sampled range, over what is left of the tasks; what repeated work adds to
// that is left out. Where a job's number of tasks or a phase's cost is not known, nothing is said.
func (w *ReplayContext) supposing(n int, e Estimate) Estimate {
	if w.ended() {
		return e
	}
	left, full, tasks, known := 0.0, 0.0, 0, true
	w.eachPhase(func(job int, _ dag.StageIndex, p *phase) {
		known = known && (p.Known || w.jobEnded(job)) && !p.unseen()
		for g := range p.all() {
			left += g.Rem * float64(g.Count)
			full += g.Full * float64(g.Count)
			tasks += g.Count
		}
	})
	if known {
		p := NewFailureLaw(w.Now(), full/float64(max(tasks, 1))).Probability(n, left)
		e.Probability = &p
	}
	return e
}
