package units

import (
	"encoding/json"
	"math"
)

// A Float is a number for programs. In JSON it is null if it is unknown: NaN or infinite.
type Float float64

// Known reports whether f is a finite number.
func (f Float) Known() bool { return !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) }

// MarshalJSON writes every digit, or null.
func (f Float) MarshalJSON() ([]byte, error) {
	if !f.Known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}
