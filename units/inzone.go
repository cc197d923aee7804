package units

import (
	"regexp"
	"strings"
	"time"
)

// instants are times of day in UTC as sentences about a run have them: "since 03:22:01 UTC", "stopped reporting at
// 2006-01-02 03:22:01 UTC", "from 03:22:01 UTC on 2 January 2006".
var instants = regexp.MustCompile(
	`\b(since|stopped reporting at|from|to|began at|to end at) ` +
		`((?:\d{4}-\d\d-\d\d |\d{1,2} [A-Z][a-z]{2} (?:\d{4} )?)?)(\d\d:\d\d:\d\d) UTC( on \d{1,2} [A-Z][a-z]+ \d{4})?`)

// InZone gives the times of a sentence in another zone than UTC, with that zone's name. A time without a date is the
// one nearest to beside.
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

// instantOf reads a time with the date before or after it, and says in which layout it is written in another zone.
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
