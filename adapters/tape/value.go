package tape

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/paratimer/paratimer/dag"
)

var null = []byte("null")

// An opt is a field that a line may omit. Unlike a pointer, it distinguishes a null list from an absent one.
type opt[T any] struct {
	set bool
	v   T
}

func some[T any](v T) opt[T] { return opt[T]{set: true, v: v} }

// changed returns a set field if v differs from old.
func changed[T comparable](old, v T) opt[T] { return opt[T]{set: old != v, v: v} }

func (o opt[T]) IsZero() bool { return !o.set }

func (o opt[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.v) }

func (o *opt[T]) UnmarshalJSON(b []byte) error {
	o.set = true
	return json.Unmarshal(b, &o.v)
}

// put stores the value in to, if it is set.
func put[T, U any](o opt[T], to *U, as func(T) U) {
	if o.set {
		*to = as(o.v)
	}
}

// A text is a string that is cleaned while it is read, because a tape may come from others or from older versions. In
// older tapes, a text that is not UTF-8 is {"hex":"…"}.
type text string

func (t text) MarshalJSON() ([]byte, error) { return appendText(nil, string(t)), nil }

func (t *text) UnmarshalJSON(b []byte) error {
	s, err := parseText(b)
	*t = text(s)
	return err
}

func appendText(b []byte, s string) []byte {
	q, _ := json.Marshal(s) // a string always has a JSON form
	return append(b, q...)
}

func parseText(b []byte) (string, error) {
	if len(b) > 0 && b[0] == '{' {
		var raw struct {
			Hex string `json:"hex"`
		}
		if err := json.Unmarshal(b, &raw); err != nil {
			return "", err
		}
		s, err := hex.DecodeString(raw.Hex)
		return dag.Clean(string(s)), err
	}
	var s string
	err := json.Unmarshal(b, &s)
	return dag.Clean(s), err
}

// An instant is in milliseconds, or null if it is unknown.
type instant dag.Instant

func (i instant) MarshalJSON() ([]byte, error) {
	if dag.Instant(i) == dag.NoInstant {
		return null, nil
	}
	return strconv.AppendInt(nil, int64(i), 10), nil
}

func (i *instant) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, null) {
		*i = instant(dag.NoInstant)
		return nil
	}
	return json.Unmarshal(b, (*int64)(i))
}

// A num is the bits of a float64: nums of equal NaNs are equal. NaN is null, infinities are strings, and a NaN with a
// payload is its bits in hexadecimal.
type num uint64

func numOf(f float64) num { return num(math.Float64bits(f)) }

func (n num) float() float64 { return math.Float64frombits(uint64(n)) }

func (n num) MarshalJSON() ([]byte, error) { return appendNum(nil, n), nil }

func (n *num) UnmarshalJSON(b []byte) (err error) {
	*n, err = parseNum(b)
	return err
}

var nan = numOf(math.NaN())

func appendNum(b []byte, n num) []byte {
	f := n.float()
	switch {
	case n == nan:
		return append(b, null...)
	case math.IsInf(f, 1):
		return append(b, `"inf"`...)
	case math.IsInf(f, -1):
		return append(b, `"-inf"`...)
	case math.IsNaN(f):
		return fmt.Appendf(b, `"0x%x"`, uint64(n))
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

func parseNum(b []byte) (num, error) {
	switch s := string(b); {
	case s == "null":
		return nan, nil
	case s == `"inf"`:
		return numOf(math.Inf(1)), nil
	case s == `"-inf"`:
		return numOf(math.Inf(-1)), nil
	case len(s) > 4 && s[:3] == `"0x` && s[len(s)-1] == '"':
		bits, err := strconv.ParseUint(s[3:len(s)-1], 16, 64)
		return num(bits), err
	default:
		f, err := strconv.ParseFloat(s, 64)
		return numOf(f), err
	}
}
