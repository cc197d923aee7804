package estimators

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// MinRuns is the least number of earlier runs behind the 80% range: with fewer, no run marks the worst tenth of a
// side. The 95% range needs 39.
const MinRuns = 9

// halving is the number of later runs that halve the weight of a run in the correction: a cluster changes over
// time.
const halving = 50

// Corrected returns a distribution of the remaining time, corrected by the errors of earlier runs at the same
// progress. It also returns the number of these runs; if it is less than MinRuns, built-in scores are used instead.
//
// This is split conformal prediction with signed scores and equal tails (Romano, Patterson and Candès, "Conformalized
// Quantile Regression", 2019, section 6), conditional on progress (Mondrian: Vovk et al., 2005, section 4.5; the strata
// are joined by interpolation). Each quantile is corrected separately, so the result is a distribution as well.
// Below the lowest and above the highest order that the number of runs supports, the tail of the raw distribution
// is used, widened as much as the distribution is at that order.
//
// tick must be the tick of d.
func (d Distribution) Corrected(tick RangeTick, residuals []dag.Residual) (Distribution, int) {
	if len(d) == 0 {
		return d, 0
	}
	scores := scoresAt(residuals, tick.progress())
	if len(scores) < MinRuns {
		return d.by(tick, stock()), len(scores)
	}
	weights := make([]float64, len(scores))
	for i := range weights {
		weights[i] = math.Exp2(-float64(len(scores)-1-i) / halving)
	}
	return d.by(tick, weighScores(scores, weights)), len(scores)
}

// by returns d corrected by scores.
func (d Distribution) by(tick RangeTick, scores *pastScores) Distribution {
	out := make(Distribution, max(len(d), usualSamples))
	for i := range out {
		ns := d.corrected(tick, scores, float64(i)/float64(len(out)-1))
		out[i] = time.Duration(min(max(0, ns), float64(dag.MaxLength)))
	}
	return out
}

// corrected returns the corrected quantile of order q, in nanoseconds.
func (d Distribution) corrected(tick RangeTick, s *pastScores, q float64) float64 {
	in := min(max(q, s.orders[0]), s.orders[len(s.orders)-1])
	v := tick.value(s.At(in))
	if q == in {
		return v
	}
	middle := tick.value(s.At(0.5))
	wider := 1.0
	if was := float64(d.At(in) - d.At(0.5)); was != 0 {
		wider = min(max((v-middle)/was, 1/mostWider), mostWider)
	}
	return v + wider*float64(d.At(q)-d.At(in))
}

// mostWider bounds how much wider or narrower a tail becomes beyond the orders that runs support.
const mostWider = 4

// scoresAt returns the scores of earlier runs at a progress, one for each run, in order. It interpolates between
// the points of a run.
func scoresAt(residuals []dag.Residual, progress float64) []float64 {
	var out []float64
	for i := 0; i < len(residuals); {
		n := i
		for n < len(residuals) && residuals[n].Run == residuals[i].Run {
			n++
		}
		out = append(out, scoreAt(residuals[i:n], progress))
		i = n
	}
	return out
}

func scoreAt(run []dag.Residual, progress float64) float64 {
	if !slices.IsSortedFunc(run, byProgress) {
		run = slices.Clone(run)
		slices.SortStableFunc(run, byProgress)
	}
	i := sort.Search(len(run), func(i int) bool { return run[i].Progress >= progress })
	switch {
	case i == 0:
		return run[0].Score
	case i == len(run):
		return run[i-1].Score
	}
	a, b := run[i-1], run[i]
	return a.Score + (progress-a.Progress)/(b.Progress-a.Progress)*(b.Score-a.Score)
}

// A RangeTick describes the raw distribution of one tick by quantiles of the remaining time. Elapsed counts from
// the submission of the query's first job.
type RangeTick struct {
	Elapsed           time.Duration
	Done              float64       // share of the query's tasks that are done, among stages of known size, 0..1
	Low, Median, High time.Duration // of order 0.1, 0.5 and 0.9
}

// TickOf returns the tick of a raw distribution, which must not be empty.
func TickOf(elapsed time.Duration, done float64, raw Distribution) RangeTick {
	return RangeTick{elapsed, done, raw.At(0.1), raw.At(0.5), raw.At(0.9)}
}

// Bins are the points of a run at which its residuals are taken, as ratios of its whole length.
var Bins = [...]float64{0.05, 0.10, 0.175, 0.25, 0.375, 0.50, 0.625, 0.75, 0.825, 0.90, 0.95}

// nearBin is the maximum distance between a bin and a tick, as a ratio of the whole length: half of that of two bins.
var nearBin = (Bins[1] - Bins[0]) / 2

// Residuals returns the errors of the ranges of a run that took total: for each of Bins the residual of the tick
// nearest to it, if one is near. Ticks are those of the watched run in order, each with the distribution before any
// correction; ticks without a distribution are left out. Only pass runs that were not cut short: the length of a
// killed run teaches nothing about others.
func Residuals(run string, ticks []RangeTick, total time.Duration) []dag.Residual {
	var out []dag.Residual
	for _, bin := range Bins {
		best, least := -1, nearBin
		for i, t := range ticks {
			if off := math.Abs(t.Elapsed.Seconds()/total.Seconds() - bin); off <= least {
				best, least = i, off
			}
		}
		if best >= 0 {
			t := ticks[best]
			out = append(out, dag.Residual{Run: run, Progress: t.progress(), Score: t.score(total - t.Elapsed)})
		}
	}
	return out
}

func byProgress(a, b dag.Residual) int { return cmp.Compare(a.Progress, b.Progress) }

// progress estimates how far the run is, 0..1: the greater of elapsed / (elapsed + median) and the share of
// finished tasks. By time alone, a median that is far too late would place the end of a run in its middle.
func (t RangeTick) progress() float64 {
	p := t.Done
	if all := t.Elapsed + t.Median; all > 0 {
		p = max(p, float64(t.Elapsed)/float64(all))
	}
	return min(max(p, 0), 1)
}

// leastSpread is the least spread of a range, as a ratio of the predicted whole length. Without it a range that is
// a single point would make every error infinite.
const leastSpread = 0.01

// spread returns the spread above or below the median.
func (t RangeTick) spread(above bool) time.Duration {
	s := t.Median - t.Low
	if above {
		s = t.High - t.Median
	}
	return max(s, time.Duration(leastSpread*float64(t.Elapsed+t.Median)), time.Millisecond)
}

// score returns the position of a remaining time in the range, in spreads from the median; value is the inverse, in
// nanoseconds.
func (t RangeTick) score(remaining time.Duration) float64 {
	s := float64(remaining-t.Median) / float64(t.spread(remaining > t.Median))
	return min(max(s, -dag.MaxScore), dag.MaxScore)
}

func (t RangeTick) value(score float64) float64 {
	return float64(t.Median) + score*float64(t.spread(score > 0))
}

// Corrected returns a scenario with its distribution corrected by the residuals of earlier runs of the workflow.
// The raw distribution is kept.
func Corrected(s Scenario) Scenario {
	raw := s.Estimate
	s.Estimate = func(w *ReplayContext) (Estimate, error) {
		e, err := raw(w)
		if err != nil || len(e.Distribution) == 0 {
			return e, err
		}
		tick := TickOf(w.Now().Elapsed(), w.doneTasks(), e.Distribution)
		e.Raw, e.Tick = e.Distribution, &tick
		e.Distribution, e.Runs = e.Raw.Corrected(tick, w.Costs.Residuals)
		median := e.Distribution.At(0.5)
		e.Remaining, e.Progress = &median, w.progress(float64(median.Milliseconds()))
		return e, nil
	}
	return s
}

// doneTasks returns the share of tasks that are done, among stages of known size.
func (w *ReplayContext) doneTasks() float64 {
	all, left := 0, 0
	w.EachStage(func(_ int, _ dag.StageIndex, p *StageLeft) {
		all += p.Tasks
		left += p.Unfinished()
	})
	if all == 0 {
		return 0
	}
	return 1 - float64(left)/float64(all)
}

// runsFor returns the least number of runs behind a range of a level. With fewer runs, no run lies in the part
// (1-level)/2 of the runs that may end beyond each side.
func runsFor(level float64) int { return int(math.Round(2/(1-level))) - 1 }

// stockWidth is how much wider the 80% range of a run without a history is than the raw one. A sampler models
// differences between tasks, but less of the differences between days. On recordings of real runs the raw 80%
// range covers about 80% of the scores, but a fortieth lie beyond three times its width; on simulated runs with
// other noise it covers 52 to 58% (docs/evidence/calibration.md).
const stockWidth = 1.3

// stock returns the scores that are used for a workflow with too few runs of its own: quantiles of Student's t with
// two degrees of freedom, scaled to stockWidth. Its tails are as heavy as those of forecasts that fail.
func stock() *pastScores {
	n := runsFor(Levels[len(Levels)-1])
	scores, weights := make([]float64, n), make([]float64, n)
	for i := range scores {
		scores[i] = student2(float64(i+1)/float64(n+1)) / student2(0.9) * stockWidth
		weights[i] = 1
	}
	return weighScores(scores, weights)
}

// student2 is the quantile of order q, 0 < q < 1, of Student's t with two degrees of freedom, in closed form (Jones,
// "Student's Simplest Distribution", 2002).
func student2(q float64) float64 { return (2*q - 1) / math.Sqrt(2*q*(1-q)) }

// pastScores are earlier scores, ascending, each with the order of its quantile. They give quantiles of the next score,
// without assumptions about its distribution.
//
// If n+1 scores are exchangeable, the last one is as likely to take each of the n+1 ranks: it lies at or below the r-th
// smallest of the others with probability r/(n+1) (Vovk, Gammerman and Shafer, "Algorithmic Learning in a Random
// World", 2005, section 2; Lei et al., "Distribution-Free Predictive Inference for Regression", 2018, section 2). So
// the quantile of order q is the score of rank q(n+1), and there is none if that is outside 1..n.
type pastScores struct {
	scores, orders []float64
}

// weighScores weighs scores. Score i represents weights[i] of the scores to come, and the next one weighs as much as
// the heaviest of them (Barber et al., "Conformal Prediction Beyond Exchangeability", 2023, equation 10). Weights
// must be above 0 and may have any sum; equal ones give the ranks above.
//
// A score's order is the middle of its weight, so that light scores at one end and heavy ones are treated alike.
func weighScores(scores, weights []float64) *pastScores {
	n := len(scores)
	sum, next := 0.0, 0.0
	for _, w := range weights {
		sum += w
		next = max(next, w)
	}
	s := &pastScores{make([]float64, n), make([]float64, n)}
	below := next / 2
	for r, i := range taskcost.Order(n, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) }) {
		s.scores[r] = scores[i]
		s.orders[r] = (below + weights[i]/2) / (sum + next)
		below += weights[i]
	}
	return s
}

// At returns the quantile of order q, that of the nearest end outside the orders. Between two ranks it is interpolated
// linearly: definition 6 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996. Rounding the ranks
// outwards would be safe for every n, but too wide: 18 runs would give a range of 80% that covers 89%. It panics
// without scores.
func (s *pastScores) At(q float64) float64 {
	i := sort.SearchFloat64s(s.orders, q)
	switch {
	case i == 0:
		return s.scores[0]
	case i == len(s.orders):
		return s.scores[i-1]
	}
	part := (q - s.orders[i-1]) / (s.orders[i] - s.orders[i-1])
	return s.scores[i-1] + part*(s.scores[i]-s.scores[i-1])
}
