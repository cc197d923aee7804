package smoothing

import (
	"cmp"
	"slices"
)

// condense joins sorted points until at most n are left. Means are weighted by counts, so that count, bytes and time
// are conserved.
func condense(points []Point, n int) []Point {
	points = bySize(points)
	for len(points) > n {
		points = pairs(points, len(points)-n)
	}
	return points
}

// bySize joins the points of one size.
func bySize(points []Point) []Point {
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

// pairs joins at most n pairs of neighbors, those with the smallest relative distance first. It joins only pairs,
// because a chain of equal distances would end as one point.
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
	const apart, first, second = 0, 1, 2
	role := make([]uint8, len(points))
	for _, g := range gaps {
		if n == 0 {
			break
		}
		if role[g.at] == apart && role[g.at+1] == apart {
			role[g.at], role[g.at+1] = first, second
			n--
		}
	}
	out := points[:0]
	for i, c := range points {
		if role[i] == second {
			out[len(out)-1] = joined(out[len(out)-1], c)
			continue
		}
		out = append(out, c)
	}
	return out
}

// joined returns the mean of two points, weighted by their counts.
func joined(a, b Point) Point {
	share := b.Count / (a.Count + b.Count)
	return Point{
		Size:   a.Size + (b.Size-a.Size)*share,
		Mean:   a.Mean + (b.Mean-a.Mean)*share,
		Count:  a.Count + b.Count,
		Marked: a.Marked + b.Marked,
	}
}
