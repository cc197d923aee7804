// Package units formats quantities for people: lengths of time, shares, counts, numbers, sizes and times of day. No
// other package does, so one value reads the same in every command. Output for programs is written elsewhere.
package units

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Unknown is the text of an unknown value.
const Unknown = "?"

// Each returns the values of a function for the elements of a list.
func Each[From, To any](all []From, of func(From) To) []To {
	out := make([]To, len(all))
	for i, v := range all {
		out[i] = of(v)
	}
	return out
}

// Rounded returns v to the thousandth, nil if it is infinite or no number.
func Rounded(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return new(math.Round(v*1000) / 1000)
}

// Positive returns v if it is above 0 and finite, else NaN.
func Positive(v float64) float64 {
	if v > 0 && !math.IsInf(v, 0) {
		return v
	}
	return math.NaN()
}

// Known formats *p, Unknown if p is nil.
func Known[T any](p *T, word func(T) string) string {
	if p == nil {
		return Unknown
	}
	return word(*p)
}

// Have is Known for an optional value: "-" if p is nil.
func Have[T any](p *T, word func(T) string) string {
	if p == nil {
		return "-"
	}
	return word(*p)
}

// Percent formats a ratio as whole percent: "42%", "120%". A part is never 0% or 100%: it is "under 1%", "over
// 99%". NaN and infinities are Unknown.
func Percent[T ~float64](ratio T) string { return percent(float64(ratio), 0) }

// Tenths formats a ratio to a tenth of a percent, for errors and other measured shares: "0.3%", "79.4%", "under
// 0.1%".
func Tenths[T ~float64](ratio T) string { return percent(float64(ratio), 1) }

func percent(ratio float64, digits int) string {
	p, least := 100*ratio, math.Pow10(-digits)
	switch {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return Unknown
	case p > 0 && p < least:
		return "under " + decimals(least, digits) + "%"
	case p > 100-least && p < 100:
		return "over " + decimals(100-least, digits) + "%"
	}
	return decimals(p, digits) + "%"
}

// Chance formats a probability. No future event is impossible or certain: 0 is "under 1%", 1 "over 99%".
func Chance[T ~float64](p T) string { return Percent(min(max(float64(p), 1e-9), 1-1e-9)) }

// More formats the difference of a ratio from 1: "+25%", "-3%", "0%".
func More[T ~float64](ratio T) string { return signed(float64(ratio)-1, 0) }

// Off formats a relative error to a tenth of a percent: "+0.3%", "-12.3%".
func Off[T ~float64](ratio T) string { return signed(float64(ratio), 1) }

func signed(ratio float64, digits int) string {
	p := decimals(100*ratio, digits)
	switch {
	case math.IsNaN(ratio) || math.IsInf(ratio, 0):
		return Unknown
	case ratio > 0 && strings.Trim(p, "0.") != "":
		p = "+" + p
	}
	return p + "%"
}

// Stage names the tasks of a stage: "maps", "reduces", else the stage by its own name.
func Stage(name string) string {
	if name == "map" || name == "reduce" {
		return name + "s"
	}
	return name
}

// Tasks counts tasks of a stage: "60 maps", "60 tasks of scan".
func Tasks(n int, stage string) string {
	if name := Stage(stage); name == stage {
		return Count(n, "task") + " of " + stage
	}
	return Count(n, stage)
}

// Count formats a number of things: "1 job", "3 jobs".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// Number formats a number with four digits. Whole numbers below a million have all of theirs: "0.1235", "12.35",
// "123456", "1.235e+07".
func Number[T ~float64](v T) string {
	x := float64(v)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return Unknown
	case math.Abs(x) < 1e6 && (x == math.Trunc(x) || math.Abs(x) >= 1000):
		return decimals(x, 0)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// Digits formats a number with every digit and no exponent, for files and command lines: "0.25", "12000000".
func Digits(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// prefixes are the prefixes of sizes, each a thousand times the previous one.
var prefixes = [...]string{"", "k", "M", "G", "T", "P", "E"}

// Size formats an amount with three digits, a prefix and its unit: Size(1.21e6, "B") is "1.21 MB". Without a unit
// it is "1.21 M".
func Size(v float64, unit string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return Unknown
	}
	n := 0
	for ; math.Abs(v) >= 999.5 && n < len(prefixes)-1; n++ {
		v /= 1000
	}
	digits := 0
	switch a := math.Abs(v); {
	case n > 0 && a < 9.995:
		digits = 2
	case n > 0 && a < 99.95:
		digits = 1
	}
	s := decimals(v, digits)
	if n > 0 || unit != "" {
		s += " " + prefixes[n] + unit
	}
	return s
}

// Bytes formats a size in bytes: "512 B", "1.21 MB".
func Bytes(v float64) string { return Size(v, "B") }

// decimals formats a number with a fixed number of decimals, halves rounded away from 0. There is no "-0".
func decimals(v float64, digits int) string {
	unit := math.Pow10(digits)
	return strconv.FormatFloat(math.Round(v*unit)/unit+0, 'f', digits, 64)
}

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
