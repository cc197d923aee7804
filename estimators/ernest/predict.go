package ernest

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/units"
)

// Cover is the share of runs that should lie between Low and High of a prediction. One run in ten is below Low and
// one in ten above High.
const Cover = 0.8

// A Prediction is the model's estimate for a run that was not made.
type Prediction struct {
	Point
	// Seconds is the predicted time. Low and High are the range from the errors of left-out rows; the range widens
	// with the distance. NaN if unknown.
	Seconds, Low, High float64
	Extrapolation      Extrapolation
	Warnings           []Warning
	// Refused is nil, or a *DoubtError with the reason why the number must not be shown unless forced. The reason
	// concerns the model or the point.
	Refused error
	// Risk is the probability that Seconds is off by more than FitOptions.RefuseAbove. NaN if Seconds is NaN.
	Risk float64
	// Next is the estimate of the next best method; nil if no other method has a number.
	Next *Guess

	sample []float64 // ascending seconds that the run might take; nil if there is no range
}

// Predict returns the time of a run. It computes all it can even if Refused requires that the number is not shown.
// Iterations do not count as distance from the rows, since all are assumed to take equally long (§4.1).
func (m *Model) Predict(at Point) Prediction {
	if err := checkRow(0, Row{at.Machines, at.Scale, 1, at.Iterations}); err != nil {
		return impossible(at, fmt.Sprintf("%s %v: %s", err.Column, err.Value, err.Reason))
	}
	if (at.Iterations > 0) != m.Iterative() {
		return impossible(at, fmt.Sprintf("%d iterations: give them for a model of iterations, and for no other one",
			at.Iterations))
	}
	f := m.features(m.Terms, at)
	for j, t := range m.Terms {
		if !finite(f[j]) || t.sized() && at.Scale < 1 {
			return impossible(at, fmt.Sprintf("term %s has no value at scale %g", t, at.Scale))
		}
	}
	p := Prediction{Point: at, Extrapolation: m.reach.extrapolation(at.Machines, at.Scale)}
	m.judgePoint(&p, f)
	p.Refused = m.doubt
	if p.Refused == nil {
		p.Refused = m.refuse(&p, f)
	}
	p.Warnings = append(p.Warnings, m.warn(&p)...)
	return p
}

func impossible(at Point, why string) Prediction {
	nan := math.NaN()
	return Prediction{
		Point: at, Seconds: nan, Low: nan, High: nan,
		Extrapolation: Extrapolation{nan, nan, nan, nan}, Refused: &DoubtError{"impossible", why}, Risk: nan,
	}
}

// judgePoint fills in the number, its range, its risk and the next best method.
func (m *Model) judgePoint(p *Prediction, f []float64) {
	p.Seconds, p.Low, p.High, p.Risk = dot(f, m.base.x), math.NaN(), math.NaN(), math.NaN()
	if !finite(p.Seconds) {
		p.Seconds = math.NaN()
		return
	}
	c, w := &configuration{machines: p.Machines, scale: p.Scale, features: f}, m.reach.way(p.Machines, p.Scale)
	p.Next = m.nextBest(c, w)
	if p.Seconds == 0 || notPositive(m.Rows) > 0 {
		return
	}
	p.Risk = m.risk(p.Seconds, c, w, m.options.refuseAbove())
	deviation := m.deviation(w)
	if m.tests == 0 {
		if p.Next == nil {
			return
		}
		// Nothing has checked the model itself. Its deviation combines that of the checked method and the distance
		// between the two.
		deviation = math.Hypot(p.Next.deviation, math.Log(float64(p.Next.Seconds)/p.Seconds))
	}
	if w != (way{}) {
		deviation = math.Hypot(deviation, m.disagreement(p.Seconds, c, w))
	}
	up, most := deviation, quantile(m.students, (1+Cover)/2)
	if s, warnings := m.suspected(p); warnings != nil {
		up, p.Warnings = max(up, math.Log(s/p.Seconds)/most), warnings
	}
	p.sample = make([]float64, len(m.students))
	for i, q := range m.students {
		if q > 0 {
			p.sample[i] = p.Seconds * math.Exp(up*q)
		} else {
			p.sample[i] = p.Seconds * math.Exp(deviation*q)
		}
	}
	p.Low, p.High = min(p.Seconds, quantile(p.sample, (1-Cover)/2)), max(p.Seconds, quantile(p.sample, (1+Cover)/2))
	if !finite(p.Low) || !finite(p.High) { // rows with errors that overflow a float64
		p.Low, p.High, p.sample = math.NaN(), math.NaN(), nil
	}
}

// refuse returns nil, or the reason why the model has no reliable number for this point.
func (m *Model) refuse(p *Prediction, f []float64) error {
	x := p.Extrapolation
	switch {
	case math.IsNaN(p.Seconds):
		return &DoubtError{"impossible", "the number is beyond what a float64 holds"}
	case !m.base.span.Holds(f) && !m.spread(p.Scale):
		return &DoubtError{
			"not_determined",
			fmt.Sprintf("the rows do not determine the time at %g machines and scale %g: %s", p.Machines, p.Scale,
				m.next()),
		}
	case x.Scale > FarthestScale:
		return &DoubtError{
			"too_far",
			fmt.Sprintf("scale %g is %s beyond what was measured: is it in the same unit? No more than %d times is predicted",
				p.Scale, times(x.Scale), FarthestScale),
		}
	case x.Machines > FarthestMachines:
		return &DoubtError{
			"too_far",
			fmt.Sprintf("%g machines are %s beyond what was measured: no more than %d times is predicted; measure with more",
				p.Machines, times(x.Machines), FarthestMachines),
		}
	case x.Scale > 1 && m.unseen:
		return &DoubtError{
			"scale_without_effect",
			fmt.Sprintf("the rows show no effect of scale, and %g is beyond them: measure runs that take longer than their start-up", p.Scale),
		}
	}
	if p.Risk > surely {
		return &DoubtError{
			"likely_wrong",
			fmt.Sprintf("by the rows that were left out it is more than %s off with a probability of %s: measure nearer to %g machines and scale %g",
				units.Percent(m.options.refuseAbove()), units.Chance(p.Risk), p.Machines, p.Scale),
		}
	}
	return nil
}

// spread reports whether the rows have at least three numbers of machines and two scales; one scale suffices if it
// equals the requested one. Non-negative coefficients then leave little freedom, even if they are not unique.
func (m *Model) spread(scale float64) bool {
	scales := column(m.Rows, func(r Row) float64 { return r.Scale })
	return distinct(column(m.Rows, func(r Row) float64 { return r.Machines })) >= 3 &&
		(distinct(scales) >= 2 || scale == scales[0])
}

// wide is the ratio of High to Low above which a range gets the warning range_wide.
const wide = 3

// warn returns the warnings to show with the number.
func (m *Model) warn(p *Prediction) []Warning {
	var warnings []Warning
	x := p.Extrapolation
	if x.Scale > UsualScale || x.Machines > UsualMachines {
		warnings = append(warnings,
			Warning{"far", fmt.Sprintf(
				"scale is %s and machines are %s beyond what was measured: farther than the paper shows (§6)",
				times(x.Scale), times(x.Machines))})
	}
	if x.PerMachine > 2 {
		warnings = append(warnings,
			Warning{
				"more_per_machine",
				fmt.Sprintf("each machine gets %s the most input that one was measured with: if its memory fills up, it takes longer", times(x.PerMachine)),
			})
	}
	switch {
	case math.IsNaN(p.High) && !math.IsNaN(p.Seconds):
		warnings = append(warnings,
			Warning{
				"range_unknown",
				"there are no more runs than coefficients: how far the number may be off is not known",
			})
	case p.High > wide*p.Low:
		warnings = append(warnings,
			Warning{
				"range_wide",
				fmt.Sprintf("the rows say little of this point: between %s and %s; measure nearer to it",
					units.Seconds(p.Low), units.Seconds(p.High)),
			})
	}
	if p.Refused == nil && p.Risk > likely {
		warnings = append(warnings,
			Warning{
				"likely_off",
				fmt.Sprintf("by the rows that were left out it is more than %s off with a probability of %s",
					units.Percent(m.options.refuseAbove()), units.Chance(p.Risk)),
			})
	}
	return warnings
}
