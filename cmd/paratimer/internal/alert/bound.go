// Package alert checks a query against bounds (deadlines and the like). It is a state machine: Step is a pure
// function of the previous state and the current frame. It sends nothing, reads no clock and does no I/O.
//
//	on_track ── P(late) ≥ threshold, held ──► at_risk ── the deadline passes ──► late ── it ends ──► ended
//	    ◄── P(late) < clear, held ──
//
// A missed observation makes the state blind, which neither fires nor resolves an alert. The next observation
// restores the state before.
package alert

import (
	"cmp"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Kind is the quantity that a bound limits.
type Kind uint8

// The kinds of bounds.
const (
	Deadline        Kind = iota // the query ends by an instant
	Within                      // the query ends within a time after its first job's submission
	LongerThanUsual             // the query ends within a multiple of its usual length
	NoProgress                  // some progress is seen at least once in a time
	// the predicted end stays within the first stable [skew_low, one_failure] (the paper, section 1)
	OutsideBounds
)

// A Bound is one limit on a query.
type Bound struct {
	Name string // unique among a query's bounds: the flag's name, or the rule's
	Kind Kind
	At   dag.Instant   // Deadline: the instant by which it must have ended, unless Daily is set
	For  time.Duration // Within: the longest run time allowed; NoProgress: the longest time without progress
	// Daily is a Deadline as a time of day: its first occurrence after the query's submission. The same bound
	// therefore means the same in a watch, after a restart and in a replay.
	Daily *Daily
	// Zone is the zone in which alert texts show the bound's times; nil: UTC.
	Zone *time.Location
	// Times is the allowed multiple of the usual length (LongerThanUsual). Usual is that length, 0 if the history
	// does not have it.
	Times float64
	Usual time.Duration
	// Threshold is the probability of being late from which the state is at risk, 0..1; 0: DefaultThreshold.
	Threshold float64
	// Hold is the number of ticks in a row before the state changes; 0: DefaultHold.
	Hold int
}

// Defaults of a bound, chosen from recordings and simulated runs (docs/evidence/alerts.md): lower ones warn hardly
// earlier, and cause more false alarms.
const (
	DefaultThreshold = 0.9
	DefaultHold      = 5
)

// clear is the fraction of the threshold below which a query that was at risk is on track again.
const clear = 0.75

func (b *Bound) threshold() float64 {
	return cmp.Or(b.Threshold, DefaultThreshold)
}

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
