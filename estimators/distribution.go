package estimators

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Distribution is a set of equally likely values of a length of time, ascending. Empty: nothing is known.
type Distribution []time.Duration

// At returns the quantile of order q, 0..1, interpolated linearly between the values (definition 7 of Hyndman and
// Fan,
// "Sample Quantiles in Statistical Packages", 1996). It panics on an empty distribution.
func (d Distribution) At(q float64) time.Duration {
	h := min(max(q, 0), 1) * float64(len(d)-1)
	i := int(math.Floor(h))
	if i+1 >= len(d) {
		return d[len(d)-1]
	}
	return d[i] + time.Duration((h-float64(i))*float64(d[i+1]-d[i]))
}

// Above returns the probability of more than t, NaN if the distribution is empty.
func (d Distribution) Above(t time.Duration) float64 {
	if len(d) == 0 {
		return math.NaN()
	}
	i, _ := slices.BinarySearch(d, t+1)
	return float64(len(d)-i) / float64(len(d))
}

// Less returns the distribution after the time by has passed without new information: each value less by, at least
// 0.
func (d Distribution) Less(by time.Duration) Distribution {
	out := make(Distribution, len(d))
	for i, v := range d {
		out[i] = max(0, v-by)
	}
	return out
}

// Probability returns the probability that exactly n attempts fail while tasks use slots for ms milliseconds in
// total. It is a negative binomial distribution: that of a Poisson process with a rate drawn from a Gamma
// distribution.
func (l FailureLaw) Probability(n int, ms float64) float64 {
	share := ms / (l.ms + ms)
	p := math.Pow(1-share, l.shape)
	for k := range n {
		p *= (l.shape + float64(k)) / float64(k+1) * share
	}
	return p
}

// supposing gives an estimate the probability that exactly n attempts fail from now on, as its scenario assumes
// (section 3). It uses the failure law of the sampled range over the remaining work of all tasks, without repeated
// work. If a job's number of tasks or a stage's cost is unknown, the probability stays nil.
func (w *ReplayContext) supposing(n int, e Estimate) Estimate {
	if w.ended() {
		return e
	}
	left, full, tasks, known := 0.0, 0.0, 0, true
	w.EachStage(func(job int, _ dag.StageIndex, p *StageLeft) {
		known = known && (p.Known || w.Now().JobEnded(job)) && !p.unseen()
		for g := range p.All() {
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
