// Package loose reads JSON values that may have the wrong type. Such a value is unknown, never an error.
package loose

import (
	"bytes"
	"math"
	"strconv"

	"github.com/paratimer/paratimer/dag"
)

// A Number is a number, with or without quotes; NaN if there is none.
type Number float64

// UnmarshalJSON reads any value.
func (n *Number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64)
	if err != nil || math.IsInf(v, 0) {
		v = math.NaN()
	}
	*n = Number(v)
	return nil
}

// Count returns the value as a count from 0 to most.
func (n Number) Count(most int) int {
	if !(n > 0) {
		return 0
	}
	return int(min(float64(n), float64(most)))
}

// ID returns an identifier, -1 if there is none.
func (n Number) ID() int {
	if !(n >= 0) || n > math.MaxInt32 {
		return -1
	}
	return int(n)
}

// Instant returns milliseconds since the epoch; 0 and -1 are "not yet".
func (n Number) Instant() dag.Instant {
	if !(n > 0) || n >= 1<<43 {
		return dag.NoInstant
	}
	return dag.Instant(n)
}

// A Text is a string; any other value is "".
type Text string

// UnmarshalJSON reads any value.
func (t *Text) UnmarshalJSON(b []byte) error {
	*t = ""
	if b[0] != '"' {
		return nil
	}
	return (*Raw)(t).UnmarshalJSON(b)
}
