package nearestfit

import (
	"cmp"
	"slices"
	"sort"
)

// A point is Count groups of one size. Mean is their mean time; Marked of them are implicit.
type point struct {
	Size, Mean, Count, Marked float64
}

// A profile is the finished groups of a task as at most limit points. If a new group makes them more, condense joins
// points until half as many as limit are left.
type profile struct {
	tolerance float64
	limit     int
	points    []point           // in order of creation
	next      []int32           // the index of the next point of the same size; -1: it is the last
	first     map[float64]int32 // the index of the first point of each size
}

// newProfile returns an empty profile. Groups join the first point of exactly their size whose mean differs from
// theirs by at most tolerance. A limit below 8 becomes 8.
func newProfile(tolerance float64, limit int) *profile {
	return &profile{tolerance: tolerance, limit: max(8, limit), first: make(map[float64]int32)}
}

// add adds count groups of one size with their mean time; marked of them are implicit. The numbers must be finite,
// count above 0.
func (p *profile) add(size, mean, count, marked float64) {
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
	p.points, p.next = append(p.points, point{size, mean, count, marked}), append(p.next, -1)
	if last < 0 {
		p.first[size] = at
	} else {
		p.next[last] = at
	}
	if same >= mostSizes {
		p.replace(joinSizes(p.list()))
	} else if len(p.points) > p.limit {
		p.replace(condense(p.list(), p.limit/2))
	}
}

// list returns the points by size, those of one size in order of creation.
func (p *profile) list() []point {
	out := slices.Clone(p.points)
	slices.SortStableFunc(out, func(a, b point) int { return cmp.Compare(a.Size, b.Size) })
	return out
}

// replace replaces all points.
func (p *profile) replace(points []point) {
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

// condense joins sorted points until at most n are left: those of one size, then pairs of about one size. The sums of
// groups, bytes and time stay the same.
func condense(points []point, n int) []point {
	points = joinSizes(points)
	for len(points) > n {
		points = pairs(points, len(points)-n)
	}
	return points
}

// joinSizes joins the points of one size.
func joinSizes(points []point) []point {
	out := points[:0]
	for _, c := range points {
		if last := len(out) - 1; last >= 0 && out[last].Size == c.Size {
			out[last] = joined(out[last], c)
			continue
		}
		out = append(out, c)
	}
	return out
}

// pairs joins at most n pairs of points next to each other, those with the smallest relative difference first. A
// point is in one pair at most: many points at equal distances must not become one.
func pairs(points []point, n int) []point {
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
	second := make([]bool, len(points)+1) // by point: it is joined to the one before it
	for _, g := range gaps {
		if n > 0 && !second[g.at] && !second[g.at+1] && !second[g.at+2] {
			second[g.at+1] = true
			n--
		}
	}
	out := points[:0]
	for i, c := range points {
		if second[i] {
			out[len(out)-1] = joined(out[len(out)-1], c)
			continue
		}
		out = append(out, c)
	}
	return out
}

// joined returns two points as one, with their means weighted by their counts.
func joined(a, b point) point {
	share := b.Count / (a.Count + b.Count)
	return point{
		Size:   a.Size + (b.Size-a.Size)*share,
		Mean:   a.Mean + (b.Mean-a.Mean)*share,
		Count:  a.Count + b.Count,
		Marked: a.Marked + b.Marked,
	}
}

// neighbours finds the points near a size in logarithmic time. Equation 6 (section 3.3) is the mean over keys, so a
// point weighs as many times as it has groups.
type neighbours struct {
	points []point // by size
	// Entry i is a sum over the first i points: of counts, and of counts times means. rest is the rounding error of
	// seconds, without which microseconds of small groups would be lost beside hours of large ones.
	counts, seconds, rest []float64
}

// newNeighbours returns the neighbours among points, which must be sorted by size, finite, and of counts above 0.
func newNeighbours(points []point) *neighbours {
	n := len(points)
	x := &neighbours{points, make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)}
	for i, c := range points {
		x.counts[i+1] = x.counts[i] + c.Count
		hi, lo := twoSum(x.seconds[i], c.Count*c.Mean)
		x.seconds[i+1], x.rest[i+1] = hi, x.rest[i]+lo
	}
	return x
}

// near returns the mean time of the groups with sizes from size-delta to size+delta; ok is false if there are none.
func (x *neighbours) near(size, delta float64) (mean float64, ok bool) {
	from := sort.Search(len(x.points), func(i int) bool { return x.points[i].Size >= size-delta })
	to := from + sort.Search(len(x.points)-from, func(i int) bool { return x.points[from+i].Size > size+delta })
	if from >= to {
		return 0, false
	}
	seconds := (x.seconds[to] - x.seconds[from]) + (x.rest[to] - x.rest[from])
	return max(0, seconds) / (x.counts[to] - x.counts[from]), true
}

// twoSum returns a+b and its rounding error: Knuth, The Art of Computer Programming, volume 2, 4.2.2, theorem B.
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}
