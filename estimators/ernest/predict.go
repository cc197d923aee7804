package ernest

import (
	"math"
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
	// Refused is nil, or the reason why the number must not be shown unless forced. It concerns the model or the point.
	Refused *Warning
	// Risk is the probability that Seconds is off by more than FitOptions.RefuseAbove. NaN if Seconds is NaN.
	Risk float64
	// Next is the estimate of the next best method; nil if no other method has a number.
	Next *Guess

	sample []float64 // ascending seconds that the run might take; nil if there is no range
}

// Predict returns the time of a run. It computes all it can even if Refused requires that the number is not shown.
// Iterations do not count as distance from the rows, since all are assumed to take equally long (§4.1).
func (m *Model) Predict(at Point) Prediction {
	nan := math.NaN()
	p := Prediction{
		Point: at, Seconds: nan, Low: nan, High: nan, Extrapolation: Extrapolation{nan, nan, nan, nan}, Risk: nan,
	}
	c := &configuration{Row: Row{at.Machines, at.Scale, 1, at.Iterations}}
	if err := checkRow(0, c.Row); err != nil {
		p.Refused = doubt("impossible", "%s: %s", err.Field, err.Reason)
		return p
	}
	if (at.Iterations > 0) != m.Iterative() {
		p.Refused = doubt("impossible", "%d iterations: give them for a model of iterations, and for no other one",
			at.Iterations)
		return p
	}
	c.features = m.features(m.Terms)(c)
	for j, t := range m.Terms {
		if !finite(c.features[j]) || t.check([]Row{c.Row}) != nil {
			p.Refused = doubt("impossible", "term %s has no value at scale %g", t, at.Scale)
			return p
		}
	}
	p.Extrapolation = m.reach.extrapolation(&c.Row)
	m.judgePoint(&p, c)
	if p.Refused = m.Doubt; p.Refused == nil {
		p.Refused = m.refuse(&p, c)
	}
	m.remark(&p)
	return p
}

// judgePoint fills in the number, its range, its risk and the next best method.
func (m *Model) judgePoint(p *Prediction, c *configuration) {
	seconds := dot(c.features, m.base.x)
	if !finite(seconds) {
		return
	}
	p.Seconds = seconds
	w := m.reach.way(&c.Row)
	others := m.guesses(seconds, c, w)
	p.Next = nextBest(others)
	if seconds == 0 || m.evidence == nil {
		return
	}
	p.Risk = m.risk(others, w)
	deviation := m.deviation(w)
	if m.tests == 0 {
		if p.Next == nil {
			return
		}
		// Nothing has checked the model itself. Its deviation combines that of the checked method and the distance
		// between the two.
		deviation = math.Hypot(p.Next.deviation, p.Next.apart)
	}
	if w != (way{}) {
		deviation = math.Hypot(deviation, m.disagreement(others, w))
	}
	up := max(deviation, math.Log(m.suspected(p, c)/seconds)/quantile(m.students, (1+Cover)/2))
	sample := make([]float64, len(m.students))
	for i, q := range m.students {
		if q > 0 {
			sample[i] = seconds * math.Exp(up*q)
		} else {
			sample[i] = seconds * math.Exp(deviation*q)
		}
	}
	low, high := min(seconds, quantile(sample, (1-Cover)/2)), max(seconds, quantile(sample, (1+Cover)/2))
	if finite(low) && finite(high) { // errors of the rows may overflow a float64
		p.Low, p.High, p.sample = low, high, sample
	}
}
