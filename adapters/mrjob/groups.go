package mrjob

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// halve joins points of similar sizes in pairs and keeps the later instant. Groups, bytes and time are conserved.
func halve(points []dag.GroupPoint) []dag.GroupPoint {
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b dag.GroupPoint) int { return cmp.Compare(a.Bytes, b.Bytes) })
	out := points[:0]
	for i, p := range points {
		if i%2 == 0 {
			out = append(out, p)
			continue
		}
		q := &out[len(out)-1]
		share := p.Count / (q.Count + p.Count)
		q.Bytes += (p.Bytes - q.Bytes) * share
		q.Took += time.Duration(float64(p.Took-q.Took) * share)
		q.Count += p.Count
		q.At = max(q.At, p.At)
	}
	slices.SortStableFunc(out, func(a, b dag.GroupPoint) int { return cmp.Compare(a.At, b.At) })
	return out
}

// A GroupCount derives the key groups of a reduce from its counters.
//
// REDUCE_INPUT_GROUPS counts groups that were begun, REDUCE_INPUT_RECORDS the records that were read. The groups
// that begin between two reports are a burst, of groups of one size. A burst is over once further groups begin.
// Until then its time grows. If records are still read, the time is its last group's alone. If none are, it is that
// of all its groups, because a program that reads ahead (a bag of Pig's, the pipe of Streaming) may be in any of
// them. So a reducer that has read all its input by one report is one burst, at its end: counters show no more.
type GroupCount struct {
	attempt  int32 // number of the attempt that reports
	begun    bool
	complete bool
	at       dag.Instant // of the newest report
	sum      float64     // sum of all its counters
	groups   float64     // in that report
	records  float64
	open     burst       // not yet over
	since    dag.Instant // when it began
	last     burst       // the part of open that its last group alone has taken
	done     []dag.GroupPoint
}

// Counts reports whether the groups are those of the attempt with that number.
func (g *GroupCount) Counts(attempt int32) bool { return g.begun && g.attempt == attempt }

// Points returns the groups that are over. Later reports do not change them.
func (g *GroupCount) Points() []dag.GroupPoint { return slices.Clip(g.done) }

// A burst is a number of groups, the records read from them, and the time that took.
type burst struct {
	groups, records float64
	took            time.Duration
}

// Count processes a report about attempt a, made at an instant. bytes is the size of a record. final means that the
// attempt is over. At most limit points are kept.
func (g *GroupCount) Count(a *dag.Attempt, c *Counts, bytes float64, final bool, at dag.Instant, limit int) {
	if a.Number != g.attempt || !g.begun {
		*g = GroupCount{attempt: a.Number, begun: true, at: dag.NoInstant}
	}
	if g.complete || !(c.Groups > 0) || !(c.ReduceIn >= 0) || !(bytes > 0) {
		return
	}
	if final {
		at = a.End
	}
	if !g.at.Known() {
		if !a.SortEnd.Known() || !at.Known() {
			return
		}
		g.at = a.SortEnd
	}
	if final && at < g.at {
		g.rewind(at)
	}
	// A task reports every few seconds, and is polled more often: an unchanged response shows nothing about the
	// time since.
	if c.Sum == g.sum && !final || at < g.at {
		return
	}
	now := burst{c.Groups - g.groups, c.ReduceIn - g.records, at.Sub(g.at)}
	g.at, g.sum, g.groups, g.records = at, c.Sum, c.Groups, c.ReduceIn
	if now.groups < 0 || now.records < 0 {
		g.open, g.last = burst{}, burst{} // a counter went back: the open burst is unknown
		return
	}
	g.advance(now, bytes, limit)
	if final {
		g.complete = true
		g.end(at, bytes, limit)
	}
}

// rewind takes back the time that the open burst was given beyond an instant. A report may be seen a moment after
// the end of its attempt, which the cluster reports exactly.
func (g *GroupCount) rewind(at dag.Instant) {
	early := g.at.Sub(at)
	for _, took := range []*time.Duration{&g.last.took, &g.open.took} {
		less := min(early, *took)
		*took -= less
		early -= less
	}
	g.at = at
}

// advance adds what was counted in the interval that ends with the newest report.
func (g *GroupCount) advance(now burst, bytes float64, limit int) {
	switch {
	case now.groups > 0:
		if g.open.groups > 0 {
			// The group that was open ended somewhere in this interval.
			share := 1 / (now.groups + 1)
			rest := burst{took: time.Duration(float64(now.took) * share)}
			if g.last.records > 0 {
				rest.records = now.records * share
			}
			g.last.took += rest.took
			g.last.records += rest.records
			now.took -= rest.took
			g.end(g.at.Add(-now.took), bytes, limit)
			now.records -= rest.records
		}
		g.open, g.since = now, g.at.Add(-now.took)
	case g.open.groups == 0: // begun before the first poll
	case now.records > 0 || g.last.records > 0:
		g.last.took += now.took
		g.last.records += now.records
	default:
		g.open.took += now.took
	}
}

// end makes points of the open burst.
func (g *GroupCount) end(at dag.Instant, bytes float64, limit int) {
	b, last := g.open, g.last
	g.open, g.last = burst{}, burst{}
	if b.groups <= 0 {
		return
	}
	mean := burst{1, b.records / b.groups, time.Duration(float64(b.took) / b.groups)}
	if last.records > 0 {
		b.groups--
		g.add(dag.GroupPoint{
			At: at, Bytes: (mean.records + last.records) * bytes, Took: mean.took + last.took,
			Count: 1,
		}, limit)
	} else {
		mean.took += time.Duration(float64(last.took) / b.groups)
	}
	if b.groups > 0 {
		g.add(dag.GroupPoint{At: at, Bytes: mean.records * bytes, Took: mean.took, Count: b.groups}, limit)
	}
}

// Open returns the records of the open group and its start, if it is the only open group; else NaN and no instant.
func (g *GroupCount) Open() (records float64, since dag.Instant) {
	if g.open.groups != 1 {
		return math.NaN(), dag.NoInstant
	}
	return g.open.records + g.last.records, g.since
}

func (g *GroupCount) add(p dag.GroupPoint, limit int) {
	if len(g.done) >= limit {
		g.done = halve(g.done)
	}
	g.done = append(g.done, p)
}
