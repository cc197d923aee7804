package ernest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Partition is a part of the input as it is stored: how much it has, counted or estimated. Entries are the values of its rows that are not
// zero, which the time of a job over sparse data follows (§4.2).
type Partition struct {
	Bytes, Rows, Entries float64 // 0 or more
}

// MaxPartitions bounds what is sampled: choosing takes time by its square.
const MaxPartitions = 10_000

// SampleTolerance is by what share a sample may differ from the whole before Sample.Warnings says so: the time of a run on it differs by
// about as much.
const SampleTolerance = 0.10

// A Sample is an order of the partitions of an input in which the first ones are like the whole.
type Sample struct {
	Order  []int   // indices of partitions, as many as the largest size has
	Spread float64 // what the partition with the fewest entries lacks of the one with the most, a share of the latter
	Sizes  []SampleSize
}

// A SampleSize is by what share the means of the first partitions of a sample differ from the whole's: 0.05 is 5 % more. If all three are
// near 0, so are the differences in entries a row, entries a byte and rows a byte.
type SampleSize struct {
	Partitions           int
	Entries, Rows, Bytes float64
	Random               float64 // standard deviation of Entries for as many partitions at random
}

// Off is the largest of the three differences, without its sign.
func (s SampleSize) Off() float64 {
	return max(math.Abs(s.Entries), math.Abs(s.Rows), math.Abs(s.Bytes))
}

// measures are what a sample has in common with the whole: the distributions of entries, rows and bytes.
const measures = 3

// Representative chooses partitions for training runs of so many partitions each: one after another, the one that brings the energy distance
// between the chosen and all to its least, the sum of those of entries, rows and bytes (Székely and Rizzo, "Energy statistics", 2013; Mak and
// Joseph, "Support points", 2018). So a sample has the whole's mean, and large partitions as often as the whole has: others of its stage
// wait for them. A larger sample has all that a smaller one has. The paper takes partitions at random, which does as well where they are many
// and alike (§4.2). Errors say what cannot be.
func Representative(all []Partition, sizes []int) (*Sample, error) {
	points, err := normalized(all)
	if err != nil {
		return nil, err
	}
	sizes = slices.Compact(slices.Sorted(slices.Values(sizes)))
	if len(sizes) == 0 {
		return nil, fmt.Errorf("no sample: say of how many partitions")
	}
	least, most := sizes[0], sizes[len(sizes)-1]
	if least < 1 || most > len(all) {
		return nil, fmt.Errorf("samples of %d to %d partitions: they have 1 to all %d", least, most, len(all))
	}
	s := &Sample{Spread: spread(all)}
	var sum [measures]float64
	h := newHerd(points)
	for len(s.Order) < most {
		next := h.next()
		s.Order = append(s.Order, next)
		for a, v := range points[next] {
			sum[a] += v
		}
		if n := len(s.Order); slices.Contains(sizes, n) {
			share := float64(n)
			s.Sizes = append(s.Sizes, SampleSize{n, sum[0]/share - 1, sum[1]/share - 1, sum[2]/share - 1, random(points, n)})
		}
	}
	return s, nil
}

// normalized are entries, rows and bytes of partitions in units of their means.
func normalized(all []Partition) ([][measures]float64, error) {
	if len(all) > MaxPartitions {
		return nil, fmt.Errorf("%d partitions: at most %d are sampled", len(all), MaxPartitions)
	}
	points, mean := make([][measures]float64, len(all)), [measures]float64{}
	for i, p := range all {
		points[i] = [measures]float64{p.Entries, p.Rows, p.Bytes}
		for a, v := range points[i] {
			if !finite(v) || v < 0 || v > mostScale {
				return nil, fmt.Errorf("partition %d has %v %s: give 0 to %g", i+1, v, [measures]string{"entries", "rows", "bytes"}[a], float64(mostScale))
			}
			mean[a] += v / float64(len(all))
		}
	}
	for a, name := range [measures]string{"value that is not zero", "row", "byte"} {
		if !(mean[a] > 0) {
			return nil, fmt.Errorf("no partition has a %s: there is nothing to sample", name)
		}
	}
	for i := range points {
		for a := range points[i] {
			points[i][a] /= mean[a]
		}
	}
	return points, nil
}

// A herd chooses points one after another.
type herd struct {
	points  [][measures]float64
	whole   []float64 // of each point: mean distance to all points
	chosen  []float64 // of each point: sum of the distances to those chosen
	taken   []bool
	n       int
	toWhole float64 // sum over those chosen of whole
	within  float64 // sum of the distances of all ordered pairs of those chosen
}

func newHerd(points [][measures]float64) *herd {
	h := &herd{points: points, whole: make([]float64, len(points)), chosen: make([]float64, len(points)), taken: make([]bool, len(points))}
	for a := range measures {
		h.distances(a)
	}
	return h
}

// distances adds the mean distance to all points in one measure: by their order, since the sum of distances grows evenly between two of them.
func (h *herd) distances(a int) {
	order := make([]int, len(h.points))
	below, above := 0.0, 0.0
	for i := range order {
		order[i] = i
		above += h.points[i][a]
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(h.points[i][a], h.points[j][a]) })
	all := float64(len(order))
	for at, i := range order {
		v := h.points[i][a]
		h.whole[i] += (float64(at)*v - below + above - (all-float64(at))*v) / all
		below, above = below+v, above-v
	}
}

// next takes the point whose choice brings the energy distance to its least; of equal ones the first.
func (h *herd) next() int {
	next, least := -1, math.Inf(1)
	n := float64(h.n + 1)
	for i := range h.points {
		if h.taken[i] {
			continue
		}
		if e := 2*(h.toWhole+h.whole[i])/n - (h.within+2*h.chosen[i])/(n*n); e < least {
			next, least = i, e
		}
	}
	h.taken[next] = true
	h.n++
	h.toWhole += h.whole[next]
	h.within += 2 * h.chosen[next]
	for i, p := range h.points {
		for a, v := range p {
			h.chosen[i] += math.Abs(v - h.points[next][a])
		}
	}
	return next
}

func spread(all []Partition) float64 {
	least, most := math.Inf(1), 0.0
	for _, p := range all {
		least, most = min(least, p.Entries), max(most, p.Entries)
	}
	return 1 - least/most
}

// random is the standard deviation of the mean entries of n points that are drawn without replacement.
func random(points [][measures]float64, n int) float64 {
	all := float64(len(points))
	if n >= len(points) {
		return 0
	}
	squares := 0.0
	for _, p := range points {
		squares += (p[0] - 1) * (p[0] - 1)
	}
	return math.Sqrt(squares / (all - 1) / float64(n) * (1 - float64(n)/all))
}

// Warnings name the sizes whose sample differs from the whole by more than SampleTolerance.
func (s *Sample) Warnings() []Warning {
	var warnings []Warning
	for _, size := range s.Sizes {
		if size.Off() > SampleTolerance {
			warnings = append(warnings, Warning{"sample_differs", fmt.Sprintf(
				"the sample of %d is not like the whole: a partition of it has %+.0f %% entries, %+.0f %% rows, %+.0f %% bytes in the mean, and %.0f %% is allowed: take more partitions, or shuffle the input",
				size.Partitions, 100*size.Entries, 100*size.Rows, 100*size.Bytes, 100*SampleTolerance)})
		}
	}
	return warnings
}
