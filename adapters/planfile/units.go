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

func formatTime(ms float64) string { return strconv.FormatFloat(ms, 'g', -1, 64) + "ms" }

// parseMemory parses an amount of memory. It returns megabytes, at most 2^52, and whether they are a whole number.
func parseMemory(s string) (mb int, ok bool) {
	parts := memoryText.FindStringSubmatch(s)
	if parts == nil {
		return 0, false
	}
	unit := parts[2]
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(s, unit)), 64)
	v *= map[string]float64{"k": 1.0 / 1024, "m": 1, "g": 1024, "t": 1024 * 1024}[strings.ToLower(unit[:1])]
	return int(min(v, 1<<52)), err == nil && v == math.Trunc(v)
}
