package planfile

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	timeText   = regexp.MustCompile(`^(([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?(ns|us|µs|μs|ms|s|m|h))+$`)
	timePart   = regexp.MustCompile(`([0-9.]+)(?:[eE]([-+]?[0-9]+))?([^0-9.]+)`)
	memoryText = regexp.MustCompile(`^[0-9]+(\.[0-9]+)? ?([kKmMgGtT][iI]?[bB]?)$`)
)

// decimals are the powers of ten between a unit and a millisecond. Minutes and hours have none.
var decimals = map[string]int{"ns": -6, "us": -3, "µs": -3, "μs": -3, "s": 3}

// ParseTime parses a time of a plan, such as 0.37ms or 1m30s. It returns milliseconds; ok is false for other texts.
// In decimal units the result is the float64 nearest to the written number. A time.Duration could not represent a
// cost such as 0.0128us exactly.
func ParseTime(s string) (ms float64, ok bool) {
	if !timeText.MatchString(s) {
		return 0, false
	}
	for _, part := range timePart.FindAllStringSubmatch(s, -1) {
		mantissa, exponent, unit := part[1], 0, part[3]
		if part[2] != "" {
			var err error
			if exponent, err = strconv.Atoi(part[2]); err != nil {
				return 0, false
			}
		}
		v, err := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(exponent+decimals[unit]), 64)
		if err != nil {
			return 0, false
		}
		switch unit {
		case "m":
			v *= 60_000
		case "h":
			v *= 3_600_000
		}
		ms += v
	}
	return ms, !math.IsInf(ms, 0)
}

// milliseconds returns a time, NaN for other values. 0 needs no unit.
func milliseconds(it *item) float64 {
	if ms, ok := ParseTime(it.text); ok && it.kind == text {
		return ms
	}
	if it.number() == 0 {
		return 0
	}
	return math.NaN()
}

func timeItem(ms float64) item { return textItem(strconv.FormatFloat(ms, 'g', -1, 64) + "ms") }

// megabytes returns an amount of memory, at most 2^52, NaN for other values.
func megabytes(it *item) float64 {
	parts := memoryText.FindStringSubmatch(it.text)
	if parts == nil || it.kind != text {
		return math.NaN()
	}
	unit := parts[2]
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(it.text, unit)), 64)
	if err != nil {
		return math.NaN()
	}
	return min(v*map[string]float64{"k": 1.0 / 1024, "m": 1, "g": 1024, "t": 1024 * 1024}[strings.ToLower(unit[:1])], 1<<52)
}
