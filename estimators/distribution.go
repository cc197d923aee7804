package estimators

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Distribution is what a length of time may be: equally likely values, ascending. An empty one says nothing.
type Distribution []time.Duration

// At is the quantile of order q, 0..1, interpolated linearly between the values (definition 7 of Hyndman and Fan,
// "Sample Quantiles in Statistical Packages", 1996). It panics on an empty distribution.
func (d Distribution) At(q float64) time.Duration {
	h := min(max(q, 0), 1) * float64(len(d)-1)
	i := int(math.Floor(h))
	if i+1 >= len(d) {
		return d[len(d)-1]
	}
	return d[i] + time.Duration((h-float64(i))*float64(d[i+1]-d[i]))
}

// Above is the probability of more than t, NaN where nothing is known.
func (d Distribution) Above(t time.Duration) float64 {
	if len(d) == 0 {
		return math.NaN()
	}
	i, _ := slices.BinarySearch(d, t+1)
	return float64(len(d)-i) / float64(len(d))
}

// Less is the distribution after by has passed and nothing was learned: every value is by less, none below 0.
func (d Distribution) Less(by time.Duration) Distribution {
	out := make(Distribution, len(d))
	for i, v := range d {
		out[i] = max(0, v-by)
	}
	return out
}

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
