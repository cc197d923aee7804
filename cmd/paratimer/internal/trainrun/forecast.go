package trainrun

import (
	"math"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// A Range is a length of time, and what it lies between, seconds. Rough is one that few runs back. The zero Range is no
// time at all; NaN is a time of which nothing is known.
type Range struct {
	Seconds, Low, High float64
	Rough              bool
}

// Plus is a time after another one. What makes one run longer than thought makes the others too, so the ends add up.
func (r Range) Plus(o Range) Range {
	return Range{r.Seconds + o.Seconds, r.Low + o.Low, r.High + o.High, r.Rough || o.Rough}
}

// After is what is left after some time of it has passed. One that takes longer than thought is taken to be about to
// end, and may take half as long again.
func (r Range) After(passed float64) Range {
	r.Seconds = max(r.Seconds-passed, 0)
	r.Low = max(r.Low-passed, 0)
	if r.High < passed {
		r.High, r.Rough = 1.5*passed, true
	}
	r.High -= passed
	return r
}

// A Forecast says how long training runs take by those that have been made.
type Forecast struct {
	rows  []ernest.Row
	model *ernest.Model // nil: too few rows for one
	rough bool
}

// Rows that a forecast needs before it has the range of a fit, and all terms of the model.
const (
	enoughToFit = 3
	enoughTerms = 6
)

// vary is how much runs of one configuration differ, however well few of them are fitted.
const vary = 0.1

// NewForecast fits what is known. Few rows determine few terms: start-up and work, the two that every job has.
func NewForecast(rows []ernest.Row) Forecast {
	f := Forecast{rows: rows, rough: len(rows) < enoughTerms}
	if len(rows) < enoughToFit {
		return f
	}
	o := ernest.FitOptions{}
	if f.rough {
		o.Terms = []ernest.Term{ernest.One, ernest.ScalePerMachine}
	}
	if m, err := ernest.Fit(rows, o); err == nil {
		f.model = m
	}
	return f
}

// Row is how long a run takes.
func (f Forecast) Row(r ernest.DesignRow) Range {
	if f.model != nil {
		p := f.model.Predict(float64(r.Machines), r.Scale)
		if p.Seconds > 0 && p.Low <= p.Seconds && p.High >= p.Seconds { // no NaN
			return Range{p.Seconds, min(p.Low, (1-vary)*p.Seconds), max(p.High, (1+vary)*p.Seconds), f.rough ||
				p.Refused != nil}
		}
	}
	return f.bracket(share(r))
}

// bracket is what rows allow where time is start-up and work: a + b·share with neither below zero. Of one row that
// leaves everything between all start-up and all work; of several, what they agree on, or else what they say between
// them.
func (f Forecast) bracket(share float64) Range {
	low, high := 0.0, math.Inf(1)
	least, most := math.Inf(1), 0.0
	for _, row := range f.rows {
		work := row.Seconds * share * row.Machines / row.Scale
		a, b := min(row.Seconds, work), max(row.Seconds, work)
		low, high = max(low, a), min(high, b)
		least, most = min(least, a), max(most, b)
	}
	switch {
	case len(f.rows) == 0:
		return Range{math.NaN(), math.NaN(), math.NaN(), true}
	case low > high:
		low, high = least, most
	}
	return Range{(low + high) / 2, low, high, true}
}
