package units

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
)

// instants matches times of day in UTC in sentences about a run: "since 03:22:01 UTC", "stopped reporting at
// 2006-01-02 03:22:01 UTC", "from 03:22:01 UTC on 2 January 2006".
var instants = regexp.MustCompile(
	`\b(since|stopped reporting at|from|to|began at|to end at) ` +
		`((?:\d{4}-\d\d-\d\d |\d{1,2} [A-Z][a-z]{2} (?:\d{4} )?)?)(\d\d:\d\d:\d\d) UTC( on \d{1,2} [A-Z][a-z]+ \d{4})?`)

// InZone converts the times in a sentence from UTC to another zone, and adds that zone's name. A time
// without a date is on the day that makes it nearest to beside.
func InZone(text string, beside time.Time, zone *time.Location) string {
	if zone == nil || zone == time.UTC || !strings.Contains(text, " UTC") {
		return text
	}
	return instants.ReplaceAllStringFunc(text, func(found string) string {
		m := instants.FindStringSubmatch(found)
		t, layout, ok := instantOf(m[2], m[3], m[4], beside)
		if !ok {
			return found
		}
		return m[1] + " " + t.In(zone).Format(layout)
	})
}

// instantOf reads a time with the date before or after it, and returns the layout to write it in another zone.
func instantOf(before, clock, after string, beside time.Time) (t time.Time, layout string, ok bool) {
	for _, l := range []string{
		"2006-01-02 15:04:05", "2 Jan 2006 15:04:05", "15:04:05 on 2 January 2006",
	} {
		if t, err := time.Parse(l, before+clock+after); err == nil {
			if after != "" {
				return t, "15:04:05 MST on 2 January 2006", true
			}
			return t, l + " MST", true
		}
	}
	layout = "15:04:05"
	if before != "" {
		layout = "2 Jan 15:04:05"
	}
	t, err := time.Parse(layout, before+clock)
	if err != nil {
		return t, "", false
	}
	b := beside.UTC()
	switch {
	case before != "":
		t = t.AddDate(b.Year(), 0, 0)
	default:
		t = time.Date(b.Year(), b.Month(), b.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
		if d := t.Sub(b); d > 12*time.Hour {
			t = t.AddDate(0, 0, -1)
		} else if d < -12*time.Hour {
			t = t.AddDate(0, 0, 1)
		}
	}
	return t, layout + " MST", true
}

// Clock formats the time of day of t in its own zone, rounded to a unit: "15:04" from a minute on, else "15:04:05".
// If t is on another day than beside, or in another year, its date comes first: "2 Jan 15:04", "2 Jan 2006 15:04".
// With a zero beside there is no date.
func Clock(t, beside time.Time, unit time.Duration) string {
	t = t.Round(unit)
	layout := "15:04:05"
	if unit >= time.Minute {
		layout = "15:04"
	}
	if b := beside.In(t.Location()); !beside.IsZero() && b.Format(time.DateOnly) != t.Format(time.DateOnly) {
		date := "2 Jan "
		if b.Year() != t.Year() {
			date = "2 Jan 2006 "
		}
		layout = date + layout
	}
	return t.Format(layout)
}

// Day formats an instant as its date and minute in its own zone, with the zone's name: "2006-01-02 15:04 CET".
func Day(t time.Time) string { return t.Format("2006-01-02 15:04 MST") }

// Exact formats a measured length of time with the precision that people need: 81ms, 250ms, 2.3s, 12.3s, 1m8s, 24m14s,
// 3h5m, 2d.
func Exact(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Exact(-d)
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < 100*time.Millisecond:
		return d.Round(time.Millisecond).String()
	case d < time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d < time.Minute:
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
	return Short(d)
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
