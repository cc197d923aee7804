// Package reference compares the packages under estimators/internal with independent programs, on the networks and
// maxima that queueing is built on. It exists for report writers outside estimators, which cannot import those
// packages.
package reference

import "math"

// A Figure is one compared number.
type Figure struct {
	Of              string
	Reference, Ours float64
}

// Off returns the difference relative to the reference, or the absolute value of Ours if the reference is 0.
func (f Figure) Off() float64 {
	if f.Reference == 0 {
		return math.Abs(f.Ours)
	}
	return math.Abs(f.Ours/f.Reference - 1)
}

// A Case is a set of figures of one network or pair.
type Case struct {
	Name    string
	Figures []Figure
}

// Worst returns the largest Off of the figures.
func (c Case) Worst() float64 {
	worst := 0.0
	for _, f := range c.Figures {
		worst = math.Max(worst, f.Off())
	}
	return worst
}
