// Package reference holds what independent programs say of networks and maxima that queueing is built on, beside what
// the packages under estimators/internal say, for those who write it down: they cannot import those.
package reference

import "math"

// A Figure is one of them.
type Figure struct {
	Of              string
	Reference, Ours float64
}

// Off is the difference in relation to the reference, or itself where that is 0.
func (f Figure) Off() float64 {
	if f.Reference == 0 {
		return math.Abs(f.Ours)
	}
	return math.Abs(f.Ours/f.Reference - 1)
}

// A Case is what belongs together.
type Case struct {
	Name    string
	Figures []Figure
}

// Worst is the largest Off of its figures.
func (c Case) Worst() float64 {
	worst := 0.0
	for _, f := range c.Figures {
		worst = math.Max(worst, f.Off())
	}
	return worst
}
