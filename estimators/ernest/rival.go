package ernest

import (
	"math"

	"github.com/paratimer/paratimer/units"
	"gonum.org/v1/gonum/stat/distuv"
)

// A rival is another method that learned from the rows of a model. The probability that the model is wrong comes from
// all methods' predictions, weighted by their errors on rows that they did not learn from.
type rival struct {
	name    string
	predict func(*configuration) float64
	*evidence
	same bool // it has the model's terms, so it is no independent check
}

// The names of the methods that a prediction is compared with: Ernest's terms by relative errors; Amdahl's law (a
// constant and divided work); Amdahl's law with undivided work; the nearest configuration, by scale/machines; and a
// power law.
const (
	byRelative     = "relative errors"
	byAmdahl       = "amdahl"
	byAmdahlScale  = "amdahl and scale"
	byNearestScale = "nearest, scale/machines"
	byPowerLaw     = "power law"
)

func findRivals(all []configuration) []rival {
	var found []rival
	for _, r := range []struct {
		name string
		fit  learner
	}{
		{byRelative, byShares},
		{byAmdahl, byTerms(One, ScalePerMachine)},
		{byAmdahlScale, byTerms(One, ScalePerMachine, Scale)},
		{byNearestScale, byNearest},
		{byPowerLaw, byPowers},
	} {
		if predict := r.fit(all); predict != nil {
			found = append(found, rival{r.name, predict, gather(all, r.fit), r.name == byRelative})
		}
	}
	return found
}

// A Guess is the estimate of another method for a run: the method with the smallest expected error there.
type Guess struct {
	Method  string      `json:"method"`
	Seconds units.Float `json:"seconds"`
	// Error is the mean of |predicted/actual - 1| over the configurations of the rows, each predicted from the
	// others.
	Error units.Float `json:"loo_mean_ratio"`

	deviation float64
	tests     int
}

// nextBest returns the best guess of the rivals, or nil if there is none.
func (m *Model) nextBest(c *configuration, w way) *Guess {
	var best *Guess
	for _, r := range m.rivals {
		s := r.predict(c)
		if !(s > 0) || math.IsInf(s, 0) || math.IsNaN(r.error) {
			continue
		}
		if u := r.cautious(w); best == nil || u < best.deviation {
			best = &Guess{r.name, units.Float(s), units.Float(r.error), u, r.tests}
		}
	}
	return best
}

// surely is the probability of an error beyond the threshold above which a prediction is refused: four of five
// refused ones should be wrong. Above likely it gets a warning.
const surely, likely = 0.8, 0.5

// risk returns the probability that a prediction is off by more than a share. It mixes the predictions of the
// methods, each with its error distribution and weighted by the inverse variance. docs/ernest.md reports how often it
// is right.
func (m *Model) risk(seconds float64, c *configuration, w way, share float64) float64 {
	weights, sum := 0.0, 0.0
	add := func(says, deviation float64) {
		weight := 1 / (deviation * deviation)
		weights += weight
		sum += weight * off(math.Log(says/seconds), deviation, share)
	}
	add(seconds, m.cautious(w))
	for _, r := range m.rivals {
		if s := r.predict(c); !r.same && s > 0 && !math.IsInf(s, 0) && r.tests >= m.tests {
			add(s, r.cautious(w))
		}
	}
	return sum / weights
}

// disagreement returns the distance between the model and those rivals that are at least as accurate, as a standard
// deviation of ln(seconds).
func (m *Model) disagreement(seconds float64, c *configuration, w way) float64 {
	own := m.cautious(w)
	weights, sum := 1/(own*own), 0.0
	for _, r := range m.rivals {
		s, u := r.predict(c), r.cautious(w)
		if s > 0 && !math.IsInf(s, 0) && r.tests >= m.tests && u <= own {
			apart := math.Log(s / seconds)
			weights += 1 / (u * u)
			sum += apart * apart / (u * u)
		}
	}
	return math.Sqrt(sum / weights)
}

// off returns the probability that a prediction is off by more than a share, if ln(actual/predicted) is normal.
func off(mean, deviation, share float64) float64 {
	normal := distuv.Normal{Mu: mean, Sigma: deviation}
	p := normal.CDF(-math.Log1p(share))
	if share < 1 {
		p += normal.Survival(-math.Log1p(-share))
	}
	return p
}

// Baselines are simple methods that a prediction should beat, in the order of ScoredRun.Baselines: the mean of the
// training runs; the nearest of them; evenly divided work, by the mean of seconds·machines; times in proportion to
// scale; and times in proportion to scale/machines.
var Baselines = []string{"mean", "nearest", "1/machines", "scale", "scale/machines"}

func baselines(train []Row, r Row) []float64 {
	return []float64{
		proportional(train, r, func(Row) float64 { return 1 }),
		nearest(train, r),
		proportional(train, r, func(r Row) float64 { return 1 / r.Machines }),
		proportional(train, r, func(r Row) float64 { return r.Scale }),
		proportional(train, r, func(r Row) float64 { return r.Scale / r.Machines }),
	}
}

// proportional returns the mean time per unit of a quantity, times that quantity of the run.
func proportional(train []Row, r Row, of func(Row) float64) float64 {
	sum := 0.0
	for _, t := range train {
		sum += t.Seconds / of(t)
	}
	return sum / float64(len(train)) * of(r)
}

// nearest returns the mean of the runs with machines and scale the fewest doublings away.
func nearest(train []Row, r Row) float64 {
	least, sum, n := math.Inf(1), 0.0, 0.0
	for _, t := range train {
		d := math.Abs(math.Log2(t.Machines/r.Machines)) + math.Abs(math.Log2(t.Scale/r.Scale))
		if d < least*(1-1e-12) {
			least, sum, n = d, 0, 0
		}
		if d <= least*(1+1e-12) {
			sum, n = sum+t.Seconds, n+1
		}
	}
	return sum / n
}
