// Package ernestview shows Ernest's results as text, JSON and SVG. It computes nothing.
package ernestview

import (
	"math"

	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// An outlook is the JSON of a prediction and its range; all null if it is refused.
type outlook struct {
	Seconds     units.Float `json:"seconds"`
	LowSeconds  units.Float `json:"low_seconds"`
	HighSeconds units.Float `json:"high_seconds"`
}

var nan = units.Float(math.NaN())

func outlookOf(p *ernest.Prediction, shown bool) outlook {
	if !shown {
		return outlook{nan, nan, nan}
	}
	return outlook{units.Float(p.Seconds), units.Float(p.Low), units.Float(p.High)}
}

func span(low, high float64) string {
	if math.IsNaN(low) || math.IsNaN(high) {
		return "?"
	}
	return units.Seconds(low) + " – " + units.Seconds(high)
}
