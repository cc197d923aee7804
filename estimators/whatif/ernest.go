package whatif

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// Ernest predicts from a curve over machines and scale that was fitted to smaller runs.
type Ernest struct {
	predict         func(machines, scale float64) ernest.Prediction
	machines, scale float64
	room            Room
	force           bool
}

// NewErnest returns the predictor of a fitted model. The base is a run at the given machines and scale. Changes of
// slots are relative to room. With force it also returns numbers that the model refuses.
func NewErnest(predict func(machines, scale float64) ernest.Prediction, machines, scale float64, room Room,
	force bool,
) *Ernest {
	return &Ernest{predict, machines, scale, room, force}
}

// Predict evaluates the curve at the changed machines and scale.
func (e *Ernest) Predict(c Change) (Answer, error) {
	no := func(what, why string) (Answer, error) { return Answer{}, &UnsupportedError{ModelErnest, what, why} }
	const why = "it has only machines and the size of the input"
	switch {
	case c.Policy != AsIs, c.Even, c.SlowStart != nil, c.Unfailing, len(c.Pace) > 0, len(c.Failures) > 0:
		return no(c.String(), why)
	}
	machines, scale := e.machines, e.scale
	if c.Scale != 0 {
		scale *= c.Scale
	}
	for _, by := range c.Slots {
		ratio, ok := by.ratio(e.room.Total())
		if by.Which != Both || !ok {
			return no("slots "+by.String(), why)
		}
		machines *= ratio
	}
	if machines < 1 {
		return no(c.String(), fmt.Sprintf("that would be %.3g machines", machines))
	}
	p := e.predict(machines, scale)
	if p.Refused != nil && !e.force {
		return no(c.String(), p.Refused.Text)
	}
	a := Answer{Model: ModelErnest, Change: c, AssumedRatio: math.NaN(), Note: fmt.Sprintf("%.4g machines, scale %.4g",
		machines, scale)}
	d, ok := lengthOf(p.Seconds)
	if !ok {
		return no(c.String(), "it gives no number there")
	}
	a.Remaining = &d
	low, okLow := lengthOf(p.Low)
	high, okHigh := lengthOf(p.High)
	if okLow && okHigh {
		a.Low, a.High = &low, &high
	}
	for _, w := range p.Warnings {
		a.Warnings = append(a.Warnings, Warning{WarnApproximate, "ernest: " + w.Text})
	}
	if p.Refused != nil {
		a.Warnings = append(a.Warnings, Warning{WarnApproximate, "ernest does not trust this itself: " +
			p.Refused.Text})
	}
	return a, nil
}
