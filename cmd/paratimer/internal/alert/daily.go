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

// Next is the first time that clocks in the zone show it, strictly after an instant.
func (d Daily) Next(after dag.Instant) dag.Instant {
	from := after.Time().In(d.Zone)
	for day := -1; ; day++ {
		t := wall(from.Year(), from.Month(), from.Day()+day, d.Hour, d.Minute, d.Second, d.Zone)
		if at := dag.InstantOf(t); at > after {
			return at
		}
	}
}

// shown says whether clocks in the zone show it at an instant.
func (d Daily) shown(at dag.Instant) bool { return d.Next(at-1) == at }

// wall is the instant at which clocks in the zone show a time. Where they show it twice, when summer time ends, it is
// the first; where they skip it, when summer time begins, it is as long after the skip as it would have been.
func wall(year int, month time.Month, day, hour, minute, second int, zone *time.Location) time.Time {
	utc := time.Date(year, month, day, hour, minute, second, 0, time.UTC)
	// Within three days lies at most one change of the offset.
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
