// Package smoothing stores many measurements of (size, seconds) as few points: measurements of one size with
// similar times become their mean and number. It also computes the mean of the points near a size.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015, sections 3.3 and
// 5.
package smoothing

import "slices"

// A Point is Count measurements of one size. Mean is their mean time, Marked the number that the caller has marked.
type Point struct {
	Size, Mean, Count, Marked float64
}

// sameSize is the greatest number of separate points of one size.
const sameSize = 512

// A Profile is a bounded set of points. Beyond its limit, points of one size are joined, and then those of near
// sizes, in pairs, until half of the limit is left.
type Profile struct {
	tolerance float64
	limit     int
	points    []Point // in order of creation
	next      []int32 // of each point the next one of its size, -1 after the last
	first     map[float64]int32
}

// New returns an empty profile. A measurement joins the first point of exactly its size with a mean within
// tolerance. Limits below 8 are 8.
func New(tolerance float64, limit int) *Profile {
	return &Profile{tolerance: tolerance, limit: max(8, limit), first: make(map[float64]int32)}
}

// Len returns the number of points.
func (p *Profile) Len() int { return len(p.points) }

// Add adds count measurements of one size with a mean time, some of them marked. All must be finite, count above 0.
func (p *Profile) Add(size, mean, count, marked float64) {
	last, same := int32(-1), 0
	if at, ok := p.first[size]; ok {
		for ; at >= 0; at = p.next[at] {
			c := &p.points[at]
			if d := c.Mean - mean; d <= p.tolerance && -d <= p.tolerance {
				c.Mean += (mean - c.Mean) * count / (c.Count + count)
				c.Count += count
				c.Marked += marked
				return
			}
			last = at
			same++
		}
	}
	at := int32(len(p.points)) //nolint:gosec // below the limit
	p.points, p.next = append(p.points, Point{size, mean, count, marked}), append(p.next, -1)
	if last < 0 {
		p.first[size] = at
	} else {
		p.next[last] = at
	}
	if same >= sameSize {
		p.replace(bySize(p.Points()))
	} else if len(p.points) > p.limit {
		p.replace(condense(p.Points(), p.limit/2))
	}
}

// Points returns all points by size, those of one size in order of creation.
func (p *Profile) Points() []Point {
	type place struct {
		size float64
		at   int32
	}
	order := make([]place, len(p.points))
	for i := range order {
		order[i] = place{p.points[i].Size, int32(i)} //nolint:gosec // below the limit
	}
	slices.SortFunc(order, func(a, b place) int {
		switch {
		case a.size < b.size:
			return -1
		case a.size > b.size:
			return 1
		}
		return int(a.at - b.at)
	})
	out := make([]Point, len(order))
	for i, o := range order {
		out[i] = p.points[o.at]
	}
	return out
}

// replace replaces all points.
func (p *Profile) replace(points []Point) {
	p.points, p.next = append(p.points[:0], points...), p.next[:0]
	clear(p.first)
	for i, c := range points {
		p.next = append(p.next, -1)
		if i > 0 && points[i-1].Size == c.Size {
			p.next[i-1] = int32(i) //nolint:gosec // below the limit
			continue
		}
		p.first[c.Size] = int32(i) //nolint:gosec // below the limit
	}
}
