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
type course []point

// add inserts the points of a batch.
func (c *course) add(seq int, points []point) {
	i := len(*c)
	for i > 0 && (*c)[i-1].seq > seq {
		i--
	}
	*c = slices.Insert(*c, i, points...)
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
func (c course) stamp(m moment) {
	limit := m.at
	for i := range slices.Backward(c) {
		if !c[i].at.Known() {
			c[i].at = min(m.of(c[i].ended), limit)
		} else {
			limit = c[i].at
		}
	}
	before := dag.NoInstant
	for i := range c {
		c[i].at = max(c[i].at, before)
		before = c[i].at
	}
}

// condense joins points until there are at most most: first those of the same size, then those of similar sizes,
// each at the place of the last one. The sums of bytes, time and count stay the same.
func (c *course) condense(most int) {
	if len(*c) <= most {
		return
	}
	*c = join(*c, func(p *point) float64 { return p.bytes })
	for width := 1e-3; len(*c) > most; width *= 2 {
		*c = join(*c, func(p *point) float64 { return math.Floor(math.Log(max(p.bytes, 1)) / width) })
	}
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
