package ernest

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/units"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Signal reports whether real runs still match the model (§5.1).
type Signal struct {
	Retrain bool `json:"retrain"`
	Runs    int  `json:"runs"`    // runs compared: those with a predicted range
	Outside int  `json:"outside"` // runs out of their predicted range
	// Error is the mean of predicted/actual - 1: above 0 the runs are faster than the model. NaN if no run was
	// compared.
	Error units.Float `json:"bias_ratio"`
	// Chance is the probability that at least as many runs are outside if the model is right. NaN if no run was
	// compared.
	Chance units.Float `json:"chance_ratio"`
	Text   string      `json:"text"`
}

const (
	// alarm is the probability up to which the model is doubted. A single run outside its range suffices; one in
	// three does not.
	alarm = 0.2
	// same is the share of the prediction by which a run may differ and still count as inside. Rows without noise
	// give ranges of width 0.
	same = 0.05
	// farOut is how many half widths of its range, as ratios, the newest run must be off to suffice alone.
	farOut = 2
)

// Retrain compares runs, oldest first, with their predictions. One run outside its range asks for a new training. If
// other runs were inside, it takes more of them outside, or a newest run that is far out.
func Retrain(m *Model, runs ...Row) Signal {
	s := Signal{Error: units.Float(math.NaN()), Chance: units.Float(math.NaN())}
	sum, far := 0.0, false
	for _, r := range runs {
		p := m.Predict(r.Point())
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

// atLeast returns the probability that k or more of n independent events of probability p happen.
func atLeast(k, n int, p float64) float64 {
	return distuv.Binomial{N: float64(n), P: p}.Survival(float64(k - 1))
}

// A TrainingOverhead is the cost of training runs (§6.2).
type TrainingOverhead struct {
	Seconds        float64 `json:"seconds"` // of the runs, one after another
	MachineSeconds float64 `json:"machine_seconds"`
}

// Overhead returns the cost of training runs.
func Overhead(training []Row) (o TrainingOverhead) {
	for _, r := range training {
		o.Seconds += r.Seconds
		o.MachineSeconds += r.Seconds * r.Machines
	}
	return o
}
