package collect

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A point is groups of one size that an attempt has finished.
type point struct {
	seq   int       // of its batch; of several joined, the last
	ended time.Time // by the collector's clock
	at    dag.Instant
	bytes float64 // of one group
	took  float64 // seconds of one group
	count float64
}

// A course is what an attempt has done, in the order of its batches. The instant of a point is known once a snapshot
// has shown it, and then stays.
type course struct {
	points  []point
	shown   int // so many points from the first on have an instant
	edition int // grows when points that were shown are other ones now
}

// add puts points of a batch at their place.
func (c *course) add(seq int, points []point) {
	i := len(c.points)
	for i > 0 && c.points[i-1].seq > seq {
		i--
	}
	c.points = slices.Insert(c.points, i, points...)
	if i < c.shown {
		c.shown = i
		c.edition++
	}
}

// A moment is a snapshot's, by both clocks, and what an attempt's instants lie between.
type moment struct {
	now        time.Time   // by the collector's clock
	at         dag.Instant // by the cluster's
	start, end dag.Instant // of the attempt; unknown where they are not known, or not yet
}

// of is an instant of the collector's clock by the cluster's, cut to the attempt and to the snapshot.
func (m moment) of(t time.Time) dag.Instant {
	i := min(m.at.Add(t.Sub(m.now)), m.at)
	if m.end.Known() {
		i = min(i, m.end)
	}
	return max(i, m.start) // an unknown start is before all
}

// stamp gives points their instants, in the order of the points: none is later than one that was shown after it.
func (c *course) stamp(m moment) {
	limit := m.at
	for i := len(c.points) - 1; i >= c.shown; i-- {
		p := &c.points[i]
		if p.at.Known() {
			limit = p.at
		} else {
			p.at = min(m.of(p.ended), limit)
		}
	}
	before := dag.NoInstant
	if c.shown > 0 {
		before = c.points[c.shown-1].at
	}
	for i := c.shown; i < len(c.points); i++ {
		p := &c.points[i]
		p.at = max(p.at, before)
		before = p.at
	}
	c.shown = len(c.points)
}

// condense joins points until there are at most most: those of the same size, then those of nearly the same, at the
// place of their last. Bytes, time and count of all stay what they are.
func (c *course) condense(most int) {
	if len(c.points) <= most {
		return
	}
	points := join(c.points, func(p *point) float64 { return p.bytes })
	for width := 1e-3; len(points) > most; width *= 2 {
		points = join(points, func(p *point) float64 { return math.Floor(math.Log(max(p.bytes, 1)) / width) })
	}
	c.points, c.shown = points, 0
	c.edition++
}

// join makes one of all points that have the same class.
func join(points []point, class func(*point) float64) []point {
	var out []point
	place := make(map[float64]int)
	last := make([]int, 0, len(points)) // of each of out, the last that is in it
	for i := range points {
		p := &points[i]
		k := class(p)
		j, ok := place[k]
		if !ok {
			place[k] = len(out)
			out, last = append(out, *p), append(last, i)
			continue
		}
		q := &out[j]
		n := q.count + p.count
		q.bytes += (p.bytes - q.bytes) * (p.count / n)
		q.took += (p.took - q.took) * (p.count / n)
		q.count, q.seq, q.ended, q.at, last[j] = n, p.seq, p.ended, p.at, i
	}
	order := make([]int, len(out))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(last[a], last[b]) })
	sorted := make([]point, len(out))
	for i, k := range order {
		sorted[i] = out[k]
	}
	return sorted
}
