package ernest

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/units"
)

// A Signal says whether real runs still are what the model says (§5.1).
type Signal struct {
	Retrain bool `json:"retrain"`
	Runs    int  `json:"runs"`    // runs compared: those that the model has a range for
	Outside int  `json:"outside"` // runs out of their predicted range
	// Error is the mean of predicted/actual - 1: above 0 the runs are faster than the model. NaN where none is
	// compared.
	Error units.Float `json:"bias_ratio"`
	// Chance is how likely as many are outside where the model is right; NaN where none is compared.
	Chance units.Float `json:"chance_ratio"`
	Text   string      `json:"text"`
}

const (
	// alarm is from what chance on a model is doubted: one run alone that is out of its range is enough, one in three
	// is not.
	alarm = 0.2
	// same is by what share of the prediction a run may differ and still be inside: rows without noise give ranges
	// without width.
	same = 0.05
	// farOut is how many half widths of its range, as ratios, the newest run must be off to be enough by itself.
	farOut = 2
)

// Retrain compares runs that were made, oldest first, with what the model says of them. One run that leaves its range
// calls for new training; after some that did not, it takes more, or one that is far out.
func Retrain(m *Model, runs ...Row) Signal {
	s := Signal{Error: units.Float(math.NaN()), Chance: units.Float(math.NaN())}
	sum, far := 0.0, false
	for _, r := range runs {
		p := m.Predict(r.Machines, r.Scale)
		if math.IsNaN(p.High) || !finite(r.Seconds) || r.Seconds <= 0 {
			continue
		}
		s.Runs++
		sum += p.Seconds/r.Seconds - 1
		low, high := min(p.Low, p.Seconds*(1-same)), max(p.High, p.Seconds*(1+same))
		outside := r.Seconds < low || r.Seconds > high
		if outside {
			s.Outside++
		}
		far = outside && (r.Seconds > p.Seconds*math.Pow(high/p.Seconds, farOut) ||
			r.Seconds < p.Seconds*math.Pow(low/p.Seconds, farOut))
	}
	if s.Runs == 0 {
		s.Text = "no run to compare: make one that the model predicts with a range"
		return s
	}
	s.Error, s.Chance = units.Float(sum/float64(s.Runs)), units.Float(atLeast(s.Outside, s.Runs, 1-Cover))
	switch {
	case s.Outside > 0 && s.Chance <= alarm*(1+1e-9):
		s.Retrain = true
		s.Text = fmt.Sprintf("%d of %d runs left the predicted range: train again, with these runs", s.Outside, s.Runs)
	case far:
		s.Retrain = true
		s.Text = "the newest run is far out of its predicted range: train again, with it"
	case s.Outside > 0:
		s.Text = fmt.Sprintf("%d of %d runs left the predicted range, as some do where the model is right", s.Outside,
			s.Runs)
	default:
		s.Text = fmt.Sprintf("all of %d runs are within the predicted range", s.Runs)
	}
	return s
}

// atLeast is how likely k or more of n independent events of probability p happen.
func atLeast(k, n int, p float64) float64 {
	below := 0.0
	for i := range k {
		below += math.Exp(lchoose(n, i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return max(0, 1-below)
}

func lchoose(n, k int) float64 {
	lg := func(i int) float64 { v, _ := math.Lgamma(float64(i) + 1); return v }
	return lg(n) - lg(k) - lg(n-k)
}

// A TrainingOverhead is what the training runs cost beside the run that they are for (§6.2).
type TrainingOverhead struct {
	Seconds        float64 `json:"seconds"` // of the training runs, one after another
	MachineSeconds float64 `json:"machine_seconds"`
	TimeRatio      float64 `json:"-"` // the same over the full run's; NaN where that is not known
	WorkRatio      float64 `json:"-"`
}

// Overhead compares training runs with the full run, predicted or made.
func Overhead(training []Row, full Row) TrainingOverhead {
	o := TrainingOverhead{TimeRatio: math.NaN(), WorkRatio: math.NaN()}
	for _, r := range training {
		o.Seconds += r.Seconds
		o.MachineSeconds += r.Seconds * r.Machines
	}
	if full.Seconds > 0 && full.Machines > 0 {
		o.TimeRatio, o.WorkRatio = o.Seconds/full.Seconds, o.MachineSeconds/(full.Seconds*full.Machines)
	}
	return o
}
