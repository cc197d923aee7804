package alert

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Daily is a time of day in a zone.
type Daily struct {
	Hour, Minute, Second int
	Zone                 *time.Location
}

// Next returns the first instant strictly after an instant at which clocks in the zone show the time.
func (d Daily) Next(after dag.Instant) dag.Instant {
	from := after.Time().In(d.Zone)
	for day := -1; ; day++ {
		t := wall(from.Year(), from.Month(), from.Day()+day, d.Hour, d.Minute, d.Second, d.Zone)
		if at := dag.InstantOf(t); at > after {
			return at
		}
	}
}

// shown reports whether clocks in the zone show the time at an instant.
func (d Daily) shown(at dag.Instant) bool { return d.Next(at-1) == at }

// wall returns the instant at which clocks in the zone show a time. If they show it twice (summer time ends), it is
// the first. If they skip it (summer time begins), it is as long after the skip as the time is after the skip's
// start.
func wall(year int, month time.Month, day, hour, minute, second int, zone *time.Location) time.Time {
	utc := time.Date(year, month, day, hour, minute, second, 0, time.UTC)
	// There is at most one change of the offset in three days.
	_, before := utc.Add(-36 * time.Hour).In(zone).Zone()
	_, after := utc.Add(36 * time.Hour).In(zone).Zone()
	first := utc.Add(-time.Duration(before) * time.Second)
	then := utc.Add(-time.Duration(after) * time.Second)
	for _, t := range []time.Time{first, then} {
		if shown := t.In(zone); shown.Hour() == hour && shown.Minute() == minute && shown.Day() == utc.Day() {
			return t
		}
	}
	return first
}
