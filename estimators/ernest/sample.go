package ernest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/units"
)

// A Partition is a part of the input as it is stored; its sizes are counted or estimated. Entries are the non-zero
// values of its rows, which determine the time of a job over sparse data (§4.2).
type Partition struct {
	Bytes, Rows, Entries float64 // 0 or more
}

// MaxPartitions limits the partitions to sample from.
const MaxPartitions = 10_000

// SampleTolerance is the difference between a sample and the whole, as a share, above which Sample.Warnings reports
// it. The time of a run on the sample differs by about as much.
const SampleTolerance = 0.10

// A Sample is a choice of partitions that represent the whole input, for training runs of several sizes.
type Sample struct {
	// 1 - entries of the smallest partition / entries of the largest one
	Spread float64
	Sizes  []SampleSize // ascending
}

// A SampleSize is the partitions for one size of run, and the relative differences of their means from the whole's:
// 0.05 is 5 % more. If all three are near 0, so are the differences in entries per row, entries per byte and rows per
// byte.
type SampleSize struct {
	Chosen  []int   `json:"-"` // indices of partitions, ascending
	Entries float64 `json:"entries_ratio"`
	Rows    float64 `json:"rows_ratio"`
	Bytes   float64 `json:"bytes_ratio"`
	Random  float64 `json:"random_ratio"` // standard deviation of Entries for as many partitions at random
}

// Off returns the largest absolute value of the three differences.
func (s SampleSize) Off() float64 {
	return max(math.Abs(s.Entries), math.Abs(s.Rows), math.Abs(s.Bytes))
}

// measures is the number of compared quantities: entries, rows and bytes.
const measures = 3

// Representative chooses partitions for training runs of the given sizes (numbers of partitions). It sorts the
// partitions by entries, cuts them into equal strata, and chooses one of each: the one that brings the sum so far
// nearest to that of the strata. So a sample has the mean of the whole and the same share of large partitions, for
// which the rest of a stage waits. The paper samples at random, which is as good for many similar partitions (§4.2).
// Errors name the invalid argument.
func Representative(all []Partition, sizes []int) (*Sample, error) {
	points, err := normalized(all)
	if err != nil {
		return nil, err
	}
	sizes = slices.Compact(slices.Sorted(slices.Values(sizes)))
	if len(sizes) == 0 {
		return nil, fmt.Errorf("no sample: say of how many partitions")
	}
	if least, most := sizes[0], sizes[len(sizes)-1]; least < 1 || most > len(all) {
		return nil, fmt.Errorf("samples of %d to %d partitions: they have 1 to all %d", least, most, len(all))
	}
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(points[i][0], points[j][0]) })
	s := &Sample{Spread: 1 - points[order[0]][0]/points[order[len(order)-1]][0]}
	for _, n := range sizes {
		s.Sizes = append(s.Sizes, stratified(points, order, n))
	}
	return s, nil
}

// stratified returns the sample of n points; order sorts the points. A stratum may begin and end within a point.
func stratified(points [][measures]float64, order []int, n int) SampleSize {
	s := SampleSize{Random: random(points, n)}
	width := float64(len(order)) / float64(n)
	var off [measures]float64 // sum of the chosen points minus the sum of the strata, each weighted as one point
	free := 0                 // first position in order that may still be chosen
	for i := range n {
		from, to := float64(i)*width, float64(i+1)*width
		first, last := int(from), min(int(math.Ceil(to)), len(order))
		for at := first; at < last; at++ {
			share := (min(to, float64(at+1)) - max(from, float64(at))) / width
			for a, v := range points[order[at]] {
				off[a] -= share * v
			}
		}
		next, least := -1, math.Inf(1)
		for at := max(first, free); at < last; at++ {
			d := 0.0
			for a, v := range points[order[at]] {
				d += (off[a] + v) * (off[a] + v)
			}
			if d < least {
				next, least = at, d
			}
		}
		free = next + 1
		s.Chosen = append(s.Chosen, order[next])
		for a, v := range points[order[next]] {
			off[a] += v
		}
	}
	slices.Sort(s.Chosen)
	s.Entries, s.Rows, s.Bytes = off[0]/float64(n), off[1]/float64(n), off[2]/float64(n)
	return s
}

// normalized returns entries, rows and bytes of the partitions in units of their means.
func normalized(all []Partition) ([][measures]float64, error) {
	if len(all) > MaxPartitions {
		return nil, fmt.Errorf("%d partitions: at most %d are sampled", len(all), MaxPartitions)
	}
	points, mean := make([][measures]float64, len(all)), [measures]float64{}
	for i, p := range all {
		points[i] = [measures]float64{p.Entries, p.Rows, p.Bytes}
		for a, v := range points[i] {
			if !finite(v) || v < 0 || v > mostScale {
				return nil, fmt.Errorf("partition %d has %v %s: give 0 to %g", i+1, v,
					[measures]string{"entries", "rows", "bytes"}[a], float64(mostScale))
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

// random returns the standard deviation of the mean entries of n points drawn without replacement.
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

// Warnings returns a warning for each size with a sample that differs from the whole by more than SampleTolerance.
func (s *Sample) Warnings() []Warning {
	var warnings []Warning
	for _, size := range s.Sizes {
		if size.Off() > SampleTolerance {
			warnings = append(warnings, Warning{"sample_differs", fmt.Sprintf(
				"the sample of %d is not like the whole: a partition of it has %s entries, %s rows, %s bytes in the mean, and %s is allowed: take more partitions, or shuffle the input",
				len(size.Chosen), units.More(1+size.Entries), units.More(1+size.Rows), units.More(1+size.Bytes),
				units.Percent(SampleTolerance))})
		}
	}
	return warnings
}
