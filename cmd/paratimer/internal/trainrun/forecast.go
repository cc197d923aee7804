package trainrun

import (
	"math"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// A Range is a time with its range, in seconds. Rough means that few runs back it. The zero Range is no time at all;
// NaN is an unknown time.
type Range struct {
	Seconds, Low, High float64
	Rough              bool
}

// Plus adds a time that follows. The ends add up: a cause that makes one run longer delays the others too.
func (r Range) Plus(o Range) Range {
	return Range{r.Seconds + o.Seconds, r.Low + o.Low, r.High + o.High, r.Rough || o.Rough}
}

// After returns the time that is left after some of it has passed. If more than High has passed, the run is assumed
// to end soon, and may take half as long again.
func (r Range) After(passed float64) Range {
	r.Seconds = max(r.Seconds-passed, 0)
	r.Low = max(r.Low-passed, 0)
	if r.High < passed {
		r.High, r.Rough = 1.5*passed, true
	}
	r.High -= passed
	return r
}

// A Forecast estimates the time of training runs from those that were made.
type Forecast struct {
	rows  []ernest.Row
	model *ernest.Model // nil: too few rows for one
	rough bool
}

// The rows that a forecast needs for a fitted range, and for all terms of the model.
const (
	enoughToFit = 3
	enoughTerms = 6
)

// vary is the least relative half-width of a range: runs of one configuration differ, even if the fit is perfect.
const vary = 0.1

// NewForecast fits the model to rows. Few rows determine few terms: start-up and work, the two that every job has.
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

// Row returns the time of a run.
func (f Forecast) Row(r ernest.DesignRow) Range {
	if f.model != nil {
		p := f.model.Predict(ernest.Point{Machines: float64(r.Machines), Scale: r.Scale})
		if p.Seconds > 0 && p.Low <= p.Seconds && p.High >= p.Seconds { // no NaN
			return Range{p.Seconds, min(p.Low, (1-vary)*p.Seconds), max(p.High, (1+vary)*p.Seconds), f.rough ||
				p.Refused != nil}
		}
	}
	return f.bracket(share(r))
}

// bracket returns the times that the rows allow if time is start-up and work: a + b·share with neither below zero.
// One row allows everything between all start-up and all work. Several rows allow the intersection of their ranges,
// or, if it is empty, everything between their ends.
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
