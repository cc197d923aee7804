package units

import (
	"regexp"
	"strings"
	"time"
)

// instants matches times of day in UTC in sentences about a run: "since 03:22:01 UTC", "stopped reporting at
// 2006-01-02 03:22:01 UTC", "from 03:22:01 UTC on 2 January 2006".
var instants = regexp.MustCompile(
	`\b(since|stopped reporting at|from|to|began at|to end at) ` +
		`((?:\d{4}-\d\d-\d\d |\d{1,2} [A-Z][a-z]{2} (?:\d{4} )?)?)(\d\d:\d\d:\d\d) UTC( on \d{1,2} [A-Z][a-z]+ \d{4})?`)

// InZone converts the times in a sentence from UTC to another zone, and adds that zone's name. A time without a
// date is the one nearest to beside.
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
