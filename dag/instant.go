package dag

import (
	"math"
	"time"
)

// An Instant is a point in time by the cluster's clock, in milliseconds since the Unix epoch. Integer milliseconds
// make simultaneous events exactly equal; the batches of the replay depend on this.
type Instant int64

// NoInstant is an instant that is not known.
const NoInstant Instant = math.MinInt64

// InstantOf converts t; sub-millisecond parts are cut off.
func InstantOf(t time.Time) Instant { return Instant(t.UnixMilli()) }

// Known reports whether the instant is known.
func (i Instant) Known() bool { return i != NoInstant }

// FirstKnown returns the first instant that is known, NoInstant if there is none.
func FirstKnown(at ...Instant) Instant {
	for _, i := range at {
		if i.Known() {
			return i
		}
	}
	return NoInstant
}

// Time converts to a UTC time. It panics on NoInstant: check Known first.
func (i Instant) Time() time.Time {
	if !i.Known() {
		panic("dag: Time of an unknown instant")
	}
	return time.UnixMilli(int64(i)).UTC()
}

// Add returns i moved by d, cut to whole milliseconds. An unknown instant stays unknown.
func (i Instant) Add(d time.Duration) Instant {
	if !i.Known() {
		return i
	}
	return i + Instant(d/time.Millisecond)
}

// Sub returns i - j. Both must be known.
func (i Instant) Sub(j Instant) time.Duration { return time.Duration(i-j) * time.Millisecond }

// Seconds returns i - j in seconds. Both must be known.
func (i Instant) Seconds(j Instant) float64 { return float64(i-j) / 1000 }
