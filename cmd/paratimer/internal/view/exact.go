package view

import (
	"fmt"
	"strings"
	"time"
)

// Exact writes a time as exactly as people want it: 0.25s, 12.3s, 1m8.4s, 24m14s, 3h5m, 2d.
func Exact(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Exact(-d)
	case d < 10*time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d < 10*time.Minute:
		return zeroless(d.Round(100*time.Millisecond).String(), "m0s")
	case d < time.Hour:
		return zeroless(d.Round(time.Second).String(), "m0s")
	case d < 24*time.Hour:
		return zeroless(zeroless(d.Round(time.Minute).String(), "m0s"), "h0m")
	}
	d = d.Round(time.Hour)
	return zeroless(fmt.Sprintf("%dd%dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour), "d0h")
}

// zeroless drops a part that is zero: 28m0s is 28m.
func zeroless(s, zero string) string {
	if strings.HasSuffix(s, zero) {
		return s[:len(s)-len(zero)+1]
	}
	return s
}
