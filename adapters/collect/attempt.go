package collect

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/dag"
)

// An attempt is what one attempt of a reduce has reported.
type attempt struct {
	number int32
	seen   sequence
	course course
	done   float64 // bytes of all groups that it has finished
	note   string
	shown  []dag.GroupPoint // of the newest snapshot

	// The group that it is in, according to batch openSeq; nil if none.
	open    *tap.Open
	openSeq int
	since   time.Time   // by the collector's clock
	sinceAt dag.Instant // by the cluster's clock, once a snapshot has shown it
}

// A sequence records which of an attempt's batches have come: the numbers before next that have a bit, from next-1 on.
// Older ones are given up.
type sequence struct {
	next int
	came uint64
}

// first reports whether a number comes for the first time. A number that was given up does not count.
func (s *sequence) first(n int) bool {
	if n >= s.next {
		s.came = s.came<<(n-s.next+1) | 1
		s.next = n + 1
		return true
	}
	bit := uint64(1) << (s.next - 1 - n) // 0 for a number that was given up
	isFirst := bit&^s.came != 0
	s.came |= bit
	return isFirst
}

func (a *attempt) cost() int { return attemptCost + pointCost*cap(a.course) + len(a.note) }

// take adds a batch. A batch that came before changes nothing.
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
	if len(a.course) > most {
		a.course.condense(most / 2)
	}
}

// sameSince is how far two batches may differ about the start of one group: their delays differ by less.
const sameSince = 2 * time.Second

// openNow sets the group that the attempt is in. If it is the same group, the instant that was shown stays.
func (a *attempt) openNow(b *tap.Batch, received time.Time) {
	was := a.open
	a.open, a.openSeq = b.Open, b.Seq
	if b.Final {
		a.open = nil
	}
	if a.open == nil {
		return
	}
	since := received.Add(-seconds(a.open.Seconds))
	if was == nil || was.Name != a.open.Name || since.Sub(a.since).Abs() >= sameSince {
		a.since, a.sinceAt = since, dag.NoInstant
	}
}

// seconds converts seconds to a duration. Validation has bounded them.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// show adds the attempt's finished groups to its reduce, and the group that it is in while it runs. Snapshots share the
// part of the list of finished groups that is the same.
func (a *attempt) show(r *dag.ReduceGroups, m moment) {
	a.course.stamp(m)
	done := make([]dag.GroupPoint, len(a.course))
	for i, p := range a.course {
		done[i] = dag.GroupPoint{At: p.at, Bytes: p.bytes, Took: seconds(p.took), Count: p.count}
	}
	if n := len(a.shown); n <= len(done) && slices.Equal(a.shown, done[:n]) {
		a.shown = append(a.shown, done[n:]...)
	} else {
		a.shown = done
	}
	r.Attempt, r.Done = a.number, slices.Clip(a.shown)
	r.OpenBytes, r.OpenSince, r.OpenKey = math.NaN(), dag.NoInstant, ""
	if a.open == nil || m.end.Known() {
		return
	}
	if !a.sinceAt.Known() {
		a.sinceAt = m.of(a.since)
	}
	r.OpenBytes, r.OpenSince, r.OpenKey = a.open.Bytes, a.sinceAt, a.open.Name
}
