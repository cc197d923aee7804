package units

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Exact formats a length of time with the precision that people need: 250ms, 2.25s, 12.3s, 1m8.4s, 24m14s, 3h5m,
// 2d.
func Exact(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Exact(-d)
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < 10*time.Second:
		d = d.Round(10 * time.Millisecond)
	case d < 10*time.Minute:
		d = d.Round(100 * time.Millisecond)
	case d < time.Hour:
		d = d.Round(time.Second)
	case d < 24*time.Hour:
		d = d.Round(time.Minute)
	default:
		d = d.Round(time.Hour)
		days := fmt.Sprintf("%dd", d/(24*time.Hour))
		if d %= 24 * time.Hour; d > 0 {
			days += Full(d)
		}
		return days
	}
	return Full(d)
}

// Seconds formats a number of seconds as Exact does, Unknown if it is NaN.
func Seconds[T ~float64](s T) string {
	const most = 100 * 365 * 24 * 3600 // a Duration has a maximum of 292 years
	switch v := float64(s); {
	case v != v:
		return Unknown
	case v > most:
		return "more than 100 years"
	case v < -most:
		return "-" + Seconds(-v)
	default:
		return Exact(time.Duration(math.Round(v * float64(time.Second))))
	}
}

// Full formats a length of time with every digit, without units that are zero at its end: 1m, not 1m0s; as people
// write settings.
func Full(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Short formats a length of time with at most two units: "<1s", "45s", "1m30s", "2h5m".
func Short(d time.Duration) string {
	switch {
	case d < time.Second:
		return "<1s"
	case d >= time.Hour:
		return Full(d.Round(time.Minute))
	}
	return Full(d.Round(time.Second))
}

// Elapsed formats a time that has passed, in full seconds: "0s", "1m52s".
func Elapsed(d time.Duration) string {
	if d < time.Second {
		return "0s"
	}
	return Short(d.Truncate(time.Second))
}

// Ago formats the age of something: "12s ago".
func Ago(d time.Duration) string { return Short(max(0, d)) + " ago" }

// About formats an expected length of time, rounded to its precision: "11m30s", "-4m".
func About(d time.Duration) string {
	if d < 0 {
		return "-" + About(-d)
	}
	return Short(d.Round(Step(d, 0)))
}

// Moved formats the move or the error of an expected end, as About does: "+4m", "-30s".
func Moved(d time.Duration) string {
	if d < 0 {
		return About(d)
	}
	return "+" + About(d)
}

// Signed formats a difference of seconds as Seconds does: "+12.3s", "-3s", "0s".
func Signed[T ~float64](s T) string {
	if s > 0 {
		return "+" + Seconds(s)
	}
	return Seconds(s)
}

// steps are the units that expected times are rounded to.
var steps = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour,
}

// Step returns the unit for rounding an expected time: the coarsest one that is at most a twentieth of the time, or
// at most a quarter of its spread, and never more than a third of it.
func Step(d, spread time.Duration) time.Duration {
	limit := min(max(d/20, spread/4), d/3)
	unit := steps[0]
	for _, s := range steps {
		if s <= limit {
			unit = s
		}
	}
	return unit
}
