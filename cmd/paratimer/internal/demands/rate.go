package demands

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Rate is a number of bytes per second, with its original text.
type Rate struct {
	bytes float64
	text  string
}

// Bytes returns the bytes per second, more than 0.
func (r Rate) Bytes() float64 { return r.bytes }

// String returns the original text.
func (r Rate) String() string { return r.text }

// rates are the units of a rate in bytes per second. Bits are for networks.
var rates = map[string]float64{
	"B/s": 1, "kB/s": 1e3, "KB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "KiB/s": 1 << 10, "MiB/s": 1 << 20, "GiB/s": 1 << 30,
	"bit/s": 1. / 8, "kbit/s": 1e3 / 8, "Mbit/s": 1e6 / 8, "Gbit/s": 1e9 / 8,
}

// ParseRate parses a rate such as 100MB/s or 1Gbit/s.
func ParseRate(s string) (Rate, error) {
	digits := strings.TrimRightFunc(s, func(r rune) bool {
		return r == '/' || r == ' ' || r >= 'A' && r <= 'Z' ||
			r >= 'a' && r <= 'z'
	})
	unit := strings.TrimSpace(s[len(digits):])
	v, err := strconv.ParseFloat(digits, 64)
	factor, known := rates[unit]
	if err != nil || !known || !(v > 0) || math.IsInf(v*factor, 0) || v*factor < 1 {
		return Rate{}, fmt.Errorf("%q is not a rate: write it like 100MB/s, 90MiB/s or 1Gbit/s", s)
	}
	return Rate{v * factor, s}, nil
}
