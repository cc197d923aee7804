package collect

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/dag"
)

// An attempt is what one attempt of a reduce has told.
type attempt struct {
	number int32
	seen   sequence
	course course
	done   float64 // bytes of all that it has finished
	note   string

	// The group that it is in, as the batch openSeq told; nil: none.
	open    *tap.Open
	openSeq int
	since   time.Time   // by the collector's clock
	sinceAt dag.Instant // by the cluster's, once a snapshot has shown it
}

func (a *attempt) cost() int {
	return attemptCost + lateCost + pointCost*cap(a.course.points) + len(a.note)
}

// take takes in a batch; what came before changes nothing.
func (a *attempt) take(b *tap.Batch, received time.Time, most int) {
	if !a.seen.first(b.Seq) {
		return
	}
	if b.Note != "" {
		a.note = b.Note
	}
	if b.Seq >= a.openSeq {
		a.openNow(b, received)
	}
	points := make([]point, len(b.Points))
	for i, p := range b.Points {
		points[i] = point{b.Seq, received.Add(-seconds(p.Age)), dag.NoInstant, p.Bytes, p.Seconds, p.Count}
		a.done += p.Bytes * p.Count
	}
	a.course.add(b.Seq, points)
	if len(a.course.points) > most {
		a.course.condense(most / 2)
	}
}

// openNow takes over which group the attempt is in. The same group again keeps the instant that was shown.
func (a *attempt) openNow(b *tap.Batch, received time.Time) {
	was := a.open
	a.open, a.openSeq = nil, b.Seq
	if b.Open == nil || b.Final {
		return
	}
	open := *b.Open
	a.open = &open
	since := received.Add(-seconds(open.Seconds))
	if was != nil && was.Name == open.Name && since.Sub(a.since).Abs() < sameSince {
		return
	}
	a.since, a.sinceAt = since, dag.NoInstant
}

// sameSince is how far two batches may be apart about the start of one group: what their ways took differs by less.
const sameSince = 2 * time.Second

// seconds is a duration of so many, which validation has bounded.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// finished adds what the attempt has done since to those of its groups that were shown.
func (a *attempt) finished(before []dag.GroupPoint, m moment) []dag.GroupPoint {
	a.course.stamp(m)
	for _, p := range a.course.points[len(before):] {
		before = append(before, dag.GroupPoint{At: p.at, Bytes: p.bytes, Took: seconds(p.took), Count: p.count})
	}
	return before
}

// opened adds the group that the attempt is in, while it runs.
func (a *attempt) opened(r *dag.ReduceGroups, m moment) {
	r.OpenBytes, r.OpenSince, r.OpenKey = math.NaN(), dag.NoInstant, ""
	if a.open == nil || m.end.Known() {
		return
	}
	if !a.sinceAt.Known() {
		a.sinceAt = m.of(a.since)
	}
	r.OpenBytes, r.OpenSince, r.OpenKey = a.open.Bytes, a.sinceAt, a.open.Name
}
