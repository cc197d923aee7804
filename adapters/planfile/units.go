package planfile

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// decimals are the powers of ten between a unit and a millisecond. Minutes and hours have none.
var decimals = map[string]int{"ns": -6, "us": -3, "µs": -3, "μs": -3, "ms": 0, "s": 3}

// ParseTime parses a time of a plan, such as 0.37ms or 1m30s. It returns milliseconds; ok is false for other texts.
func ParseTime(s string) (ms float64, ok bool) { return parseTime(s) }

// parseTime parses a time such as 0.37ms. It returns milliseconds. In decimal units the result is the float64 nearest
// to the written number. A time.Duration could not represent a cost such as 0.0128us exactly.
func parseTime(s string) (ms float64, ok bool) {
	if s == "" {
		return 0, false
	}
	for rest := s; rest != ""; {
		digits, unit, after := cutTime(rest)
		mantissa, exponent := digits, 0
		if i := strings.IndexAny(digits, "eE"); i >= 0 {
			e, err := strconv.Atoi(digits[i+1:])
			if err != nil {
				return 0, false
			}
			mantissa, exponent = digits[:i], e
		}
		factor := 1.0
		switch unit {
		case "m":
			factor = 60_000
		case "h":
			factor = 3_600_000
		default:
			shift, known := decimals[unit]
			if !known {
				return 0, false
			}
			exponent += shift
		}
		v, err := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(exponent), 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || strings.ContainsAny(mantissa, "+-_xXpP") {
			return 0, false
		}
		ms += v * factor
		rest = after
	}
	return ms, !math.IsInf(ms, 0)
}

// cutTime cuts a time after its first number and unit.
func cutTime(s string) (digits, unit, rest string) {
	i := 0
	for i < len(s) {
		c := s[i]
		signed := (c == '-' || c == '+') && i > 0 && (s[i-1] == 'e' || s[i-1] == 'E')
		if c != '.' && (c < '0' || c > '9') && c != 'e' && c != 'E' && !signed {
			break
		}
		i++
	}
	j := i
	for j < len(s) && s[j] != '.' && (s[j] < '0' || s[j] > '9') {
		j++
	}
	return s[:i], s[i:j], s[j:]
}

func formatTime(ms float64) string { return strconv.FormatFloat(ms, 'g', -1, 64) + "ms" }

// parseDuration parses a time in whole nanoseconds.
func parseDuration(s string) (time.Duration, bool) {
	if d, err := time.ParseDuration(s); err == nil && d >= 0 && s[0] != '+' && s[0] != '-' {
		return d, true
	}
	ms, ok := parseTime(s)
	if ns := math.Round(ms * 1e6); ok && ns < math.MaxInt64 {
		return time.Duration(ns), true
	}
	return 0, false
}

var memoryText = regexp.MustCompile(`^[0-9]+(\.[0-9]+)? ?([kKmMgGtT][iI]?[bB]?)$`)

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
