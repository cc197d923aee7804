// Package smoothing keeps many measurements of (size, seconds) as few points: those of one size whose times are alike become
// their mean and number.
//
// E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015, section 5.
package smoothing

import (
	"cmp"
	"slices"
)

// A Point is Count measurements of one size. Mean is their time.
type Point struct {
	Size, Mean, Count float64
}

// sameSize is how many points of one size are kept apart.
const sameSize = 512

// A Profile holds points. It never holds more than its limit: beyond, points of one size become one, and then those of near
// sizes, by twos, until half are left. Means are weighted by counts, so that count, bytes and time are conserved.
type Profile struct {
	tolerance float64
	limit     int
	sizes     map[float64][]Point // of each size in order of creation
	points    int
}

// New returns an empty profile. A measurement joins the first point of exactly its size whose mean is within tolerance.
// Limits below 8 are 8.
func New(tolerance float64, limit int) *Profile {
	return &Profile{tolerance: tolerance, limit: max(8, limit), sizes: make(map[float64][]Point)}
}

// Len is how many points there are.
func (p *Profile) Len() int { return p.points }

// Add takes count measurements of one size with a mean time. All must be finite, count above 0.
func (p *Profile) Add(size, mean, count float64) {
	same := p.sizes[size]
	for i := range same {
		c := &same[i]
		if d := c.Mean - mean; d <= p.tolerance && -d <= p.tolerance {
			c.Mean += (mean - c.Mean) * count / (c.Count + count)
			c.Count += count
			return
		}
	}
	if len(same) >= sameSize {
		p.points -= len(same) - 1
		same = append(same[:0], joined(same))
	}
	p.sizes[size] = append(same, Point{size, mean, count})
	p.points++
	if p.points > p.limit {
		p.condense()
	}
}

// Points returns all points by size, those of one size in order of creation.
func (p *Profile) Points() []Point {
	sizes := make([]float64, 0, len(p.sizes))
	for s := range p.sizes {
		sizes = append(sizes, s)
	}
	slices.Sort(sizes)
	out := make([]Point, 0, p.points)
	for _, s := range sizes {
		out = append(out, p.sizes[s]...)
	}
	return out
}

func (p *Profile) condense() {
	sizes := make([]float64, 0, len(p.sizes))
	for s := range p.sizes {
		sizes = append(sizes, s)
	}
	slices.Sort(sizes)
	points := make([]Point, 0, len(sizes))
	for _, s := range sizes {
		points = append(points, joined(p.sizes[s]))
	}
	for len(points) > p.limit/2 {
		points = pairs(points, len(points)-p.limit/2)
	}
	clear(p.sizes)
	for _, c := range points {
		p.sizes[c.Size] = append(p.sizes[c.Size], c)
	}
	p.points = len(points)
}

// pairs joins at most n neighbours by twos, those with the smallest relative distance first. Twos, because a chain of equal
// distances would end as one point.
func pairs(points []Point, n int) []Point {
	type gap struct {
		ratio float64
		at    int
	}
	gaps := make([]gap, len(points)-1)
	for i := range gaps {
		gaps[i] = gap{1 - points[i].Size/points[i+1].Size, i}
	}
	slices.SortFunc(gaps, func(a, b gap) int {
		return cmp.Or(cmp.Compare(a.ratio, b.ratio), cmp.Compare(a.at, b.at))
	})
	taken := make([]bool, len(points)) // joined with the one before or the one after
	second := make([]bool, len(points))
	for _, g := range gaps {
		if n == 0 {
			break
		}
		if taken[g.at] || taken[g.at+1] {
			continue
		}
		taken[g.at], taken[g.at+1], second[g.at+1] = true, true, true
		n--
	}
	out := points[:0]
	for i, c := range points {
		if second[i] {
			last := len(out) - 1
			c = joined([]Point{out[last], c})
			out = out[:last]
		}
		out = append(out, c)
	}
	return out
}

// joined is the mean of points, weighted by their counts.
func joined(points []Point) Point {
	out := points[0]
	for _, c := range points[1:] {
		share := c.Count / (out.Count + c.Count)
		out.Size += (c.Size - out.Size) * share
		out.Mean += (c.Mean - out.Mean) * share
		out.Count += c.Count
	}
	return out
}
