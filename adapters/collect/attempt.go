package collect

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
	"github.com/paratimer/paratimer/dag"
)

// sameSince is how far two batches may differ about the start of one group: their delays differ by less.
const sameSince = 2 * time.Second

// An attempt is what one attempt of a reduce has reported. Taps send batches in order.
type attempt struct {
	number int32
	seq    int     // of the newest batch; -1 before the first
	done   float64 // bytes of all groups that it has finished
	note   string

	// The groups that it has finished, in order. A snapshot that shows a point first sets its instant: the first
	// shown points have instants of the cluster's clock, the others of the collector's. Snapshots share the former.
	points []dag.GroupPoint
	shown  int

	// The group that it is in; nil if none.
	open    *tap.Open
	since   time.Time   // by the collector's clock
	sinceAt dag.Instant // by the cluster's clock, once a snapshot has shown it
}

func (a *attempt) cost() int { return pointCost*len(a.points) + len(a.note) }

// take adds a batch. A batch that came before changes nothing.
func (a *attempt) take(b *tap.Batch, received time.Time, most int) {
	if b.Seq <= a.seq {
		return
	}
	a.seq = b.Seq
	if b.Note != "" {
		a.note = b.Note
	}
	open := b.Open
	if b.Final {
		open = nil
	}
	if open != nil {
		since := received.Add(-seconds(open.Seconds))
		if a.open == nil || a.open.Name != open.Name || since.Sub(a.since).Abs() >= sameSince {
			a.since, a.sinceAt = since, dag.NoInstant // another group, else the instant that was shown stays
		}
	}
	a.open = open
	for _, p := range b.Points {
		a.points = append(a.points, dag.GroupPoint{
			At: dag.InstantOf(received.Add(-seconds(p.Age))), Bytes: p.Bytes, Took: seconds(p.Seconds), Count: p.Count,
		})
		a.done += p.Bytes * p.Count
	}
	if len(a.points) > most {
		a.condense(most / 2)
	}
}

// seconds converts seconds to a duration. Validation has bounded them.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// condense joins points until there are at most most: first those of the same size, then those of similar sizes,
// each at the place of the last one. The sums of bytes, time and count stay the same.
func (a *attempt) condense(most int) {
	for width := 0.0; len(a.points) > most; width = max(1e-3, 2*width) {
		a.join(width)
	}
}

// join makes one point of all points of the same size if width is 0, else of all points with the logarithm of their
// size in the same interval of this width. It leaves the previous points as they are.
func (a *attempt) join(width float64) {
	last := make(map[float64]int) // index of the newest point of a size or an interval
	all := slices.Clone(a.points)
	for i := range all {
		p, k := &all[i], all[i].Bytes
		if width > 0 {
			k = math.Floor(math.Log(max(k, 1)) / width)
		}
		if was, ok := last[k]; ok {
			q := &all[was]
			share := p.Count / (q.Count + p.Count)
			p.Bytes = q.Bytes + (p.Bytes-q.Bytes)*share
			p.Took = q.Took + time.Duration(float64(p.Took-q.Took)*share)
			p.Count, q.Count = q.Count+p.Count, 0
		}
		last[k] = i
	}
	isJoined := func(p dag.GroupPoint) bool { return p.Count == 0 }
	shown := len(slices.DeleteFunc(slices.Clone(all[:a.shown]), isJoined))
	a.points, a.shown = slices.DeleteFunc(all, isJoined), shown
}

// A moment is the time of a snapshot by both clocks, with the attempt's bounds.
type moment struct {
	now        time.Time   // by the collector's clock
	at         dag.Instant // by the cluster's clock
	start, end dag.Instant // of the attempt; unknown if they are not known, or not yet
}

// of converts a time of the collector's clock to the cluster's, within the bounds of the attempt and the snapshot.
func (m moment) of(t time.Time) dag.Instant {
	i := min(m.at.Add(t.Sub(m.now)), m.at)
	if m.end.Known() {
		i = min(i, m.end)
	}
	return max(i, m.start) // an unknown start is before all
}

// show adds the attempt's finished groups to its reduce, and the group that it is in while it runs.
func (a *attempt) show(r *dag.ReduceGroups, m moment) {
	for ; a.shown < len(a.points); a.shown++ {
		p := &a.points[a.shown]
		if p.At = m.of(p.At.Time()); a.shown > 0 {
			p.At = max(p.At, a.points[a.shown-1].At)
		}
	}
	r.Attempt, r.Done = a.number, slices.Clip(a.points)
	r.OpenBytes, r.OpenSince, r.OpenKey = math.NaN(), dag.NoInstant, ""
	if a.open == nil || m.end.Known() {
		return
	}
	if !a.sinceAt.Known() {
		a.sinceAt = m.of(a.since)
	}
	r.OpenBytes, r.OpenSince, r.OpenKey = a.open.Bytes, a.sinceAt, a.open.Name
}
