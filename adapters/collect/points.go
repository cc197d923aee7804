package collect

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A point is a number of groups of one size that an attempt has finished.
type point struct {
	seq   int       // of its batch; if points were joined, of the last one
	ended time.Time // by the collector's clock
	at    dag.Instant
	bytes float64 // of one group
	took  float64 // seconds of one group
	count float64
}

// A course is the finished groups of an attempt, in the order of its batches. A point gets its instant when a
// snapshot first shows it, and keeps it.
type course struct {
	points  []point
	shown   int // number of points, from the first on, that have an instant
	edition int // grows when points that were shown have changed
}

// add inserts the points of a batch.
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

// stamp gives points their instants, in the order of the points: none is later than the instant of a later point.
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

// condense joins points until there are at most most: first those of the same size, then those of similar sizes,
// each at the place of the last one. The sums of bytes, time and count stay the same.
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

// join makes one point of all points of the same class.
func join(points []point, class func(*point) float64) []point {
	var out []point
	place := make(map[float64]int) // in out, by class
	for _, p := range points {
		k := class(&p)
		if j, ok := place[k]; ok {
			q := &out[j]
			n := q.count + p.count
			p.bytes = q.bytes + (p.bytes-q.bytes)*(p.count/n)
			p.took = q.took + (p.took-q.took)*(p.count/n)
			p.count, q.count = n, 0
		}
		place[k] = len(out)
		out = append(out, p)
	}
	return slices.DeleteFunc(out, func(p point) bool { return p.count == 0 })
}
