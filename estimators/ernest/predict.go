package ernest

import (
	"fmt"
	"math"
)

// Cover is the share of runs that lie between Low and High of a prediction, as far as the rows can tell. Each of them is
// passed by one run in ten.
const Cover = 0.8

// A Prediction is what a model says of a run that was not made.
type Prediction struct {
	Machines, Scale float64
	// Seconds that the run takes, and the range by bootstrap, widened with the distance. NaN where nothing can be said.
	Seconds, Low, High float64
	Extrapolation      Extrapolation
	Warnings           []Warning
	// Refused is nil, or a *DoubtError that says why the number must not be shown unless forced: the model's doubt, or the point's.
	Refused error

	sample []float64 // ascending seconds that the run might take; nil where the rows cannot tell
}

// Predict says how long a run takes. It computes what it can even where Refused says that the number must not be shown.
func (m *Model) Predict(machines, scale float64) Prediction {
	return m.predict(machines, scale, features(m.Terms, machines, scale))
}

func (m *Model) predict(machines, scale float64, f []float64) Prediction {
	if err := checkRow(0, Row{machines, scale, 1}); err != nil {
		return impossible(machines, scale, fmt.Sprintf("%s %v: %s", err.Column, err.Value, err.Reason))
	}
	for j, t := range m.Terms {
		if !finite(f[j]) || t.sized() && scale < 1 {
			return impossible(machines, scale, fmt.Sprintf("term %s has no value at scale %g", t, scale))
		}
	}
	p := Prediction{Machines: machines, Scale: scale, Extrapolation: m.reach.extrapolation(machines, scale)}
	m.base.predict(&p, f)
	p.Refused = m.doubt
	if p.Refused == nil {
		p.Refused = m.refuse(&p, f)
	}
	p.Warnings = p.warn()
	return p
}

func impossible(machines, scale float64, why string) Prediction {
	nan := math.NaN()
	return Prediction{
		Machines: machines, Scale: scale, Seconds: nan, Low: nan, High: nan,
		Extrapolation: Extrapolation{nan, nan, nan, nan}, Refused: &DoubtError{"impossible", why},
	}
}

// widening is by what share the ends of the range move apart with each doubling beyond the rows: the bootstrap knows only models
// of the right form. TestCoverage has what it is worth where the form is somewhat wrong.
const widening = 0.01

// predict fills in the number and its range.
func (r *regression) predict(p *Prediction, f []float64) {
	p.Seconds, p.Low, p.High = dot(f, r.x), math.NaN(), math.NaN()
	if !finite(p.Seconds) {
		p.Seconds = math.NaN()
		return
	}
	p.sample = r.sample(f)
	apart := math.Pow(1+widening, p.Extrapolation.Distance)
	for i, v := range p.sample {
		if v < p.Seconds || v == p.Seconds && 2*i < len(p.sample) {
			p.sample[i] = v / apart
		} else {
			p.sample[i] = v * apart
		}
	}
	if len(p.sample) > 0 {
		p.Low = min(p.Seconds, quantile(p.sample, (1-Cover)/2))
		p.High = max(p.Seconds, quantile(p.sample, (1+Cover)/2))
	}
}

// refuse is nil, or why nothing can be said of this point by a model that is good for others.
func (m *Model) refuse(p *Prediction, f []float64) error {
	x := p.Extrapolation
	switch {
	case math.IsNaN(p.Seconds):
		return &DoubtError{"impossible", "the number is beyond what a float64 holds"}
	case !m.base.determines(f):
		return &DoubtError{"not_determined", fmt.Sprintf("the rows do not determine the time at %g machines and scale %g: %s", p.Machines, p.Scale, m.next())}
	case x.Scale > FarthestScale:
		return &DoubtError{"too_far", fmt.Sprintf("scale %g is %s beyond what was measured: is it in the same unit? No more than %d times is predicted",
			p.Scale, times(x.Scale), FarthestScale)}
	case x.Machines > FarthestMachines:
		return &DoubtError{"too_far", fmt.Sprintf("%g machines are %s beyond what was measured: no more than %d times is predicted; measure with more",
			p.Machines, times(x.Machines), FarthestMachines)}
	case x.Scale > 1 && m.unseen:
		return &DoubtError{"scale_without_effect", fmt.Sprintf("the rows show no effect of scale, and %g is beyond them: measure runs that take longer than their start-up", p.Scale)}
	}
	return m.contradicted(p)
}

// wide is from what ratio of its ends on a range is said to be wide.
const wide = 3

// warn says what is to be known beside the number.
func (p *Prediction) warn() []Warning {
	var warnings []Warning
	x := p.Extrapolation
	if x.Scale > UsualScale || x.Machines > UsualMachines {
		warnings = append(warnings, Warning{"far", fmt.Sprintf("scale is %s and machines are %s beyond what was measured: farther than the paper shows (§6)", times(x.Scale), times(x.Machines))})
	}
	if x.PerMachine > 2 {
		warnings = append(warnings, Warning{"more_per_machine", fmt.Sprintf("each machine gets %s the most input that one was measured with: if its memory fills up, it takes longer", times(x.PerMachine))})
	}
	switch {
	case math.IsNaN(p.High) && !math.IsNaN(p.Seconds):
		warnings = append(warnings, Warning{"range_unknown", "there are no more runs than coefficients: how far the number may be off is not known"})
	case p.High > wide*p.Low:
		warnings = append(warnings, Warning{"range_wide", fmt.Sprintf("the rows say little of this point: between %.3g and %.3g s; measure nearer to it", p.Low, p.High)})
	}
	return warnings
}
