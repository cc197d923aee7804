package ernest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// inputs are partitions of one size whose densities are drawn: as alike as the paper's data sets (35 %), and less and
// less.
func inputs(r *rand.Rand, n int) map[string][]Partition {
	draw := func(density func() float64) []Partition {
		all := make([]Partition, n)
		for i := range all {
			d := density()
			all[i] = Partition{Bytes: 1e6 + 1e4*r.Float64(), Rows: 1e4 / (0.5 + d), Entries: 1e5 * d}
		}
		return all
	}
	return map[string][]Partition{
		"35 %":      draw(func() float64 { return 0.65 + 0.35*r.Float64() }),
		"lognormal": draw(func() float64 { return math.Exp(0.5 * r.NormFloat64()) }),
		"heavy":     draw(r.ExpFloat64),
	}
}

// TestRepresentative: a sample's mean is nearer to the whole's than that of random ones by half at least, and its
// largest partition is no smaller than theirs by more than a seventh.
func TestRepresentative(t *testing.T) {
	t.Parallel()
	sizes := []int{4, 8, 16, 32}
	off, expected, largest, theirs := map[string]float64{}, map[string]float64{}, map[string]float64{},
		map[string]float64{}
	const inputsOfAKind = 30
	for seed := range uint64(inputsOfAKind) {
		r := rand.New(rand.NewPCG(seed, 42))
		for kind, all := range inputs(r, 256) {
			s, err := Representative(all, sizes)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range sizes {
				at := kind + string(rune('0'+n/4))
				size := s.Sizes[slices.Index(sizes, n)]
				off[at] += math.Abs(size.Entries)
				most := func(of []int) float64 {
					m := 0.0
					for _, i := range of {
						m = max(m, all[i].Entries)
					}
					return m
				}
				largest[at] += most(size.Chosen)
				const draws = 20
				for range draws {
					chosen := r.Perm(len(all))[:n]
					theirs[at] += most(chosen) / draws
					mean, whole := 0.0, 0.0
					for _, i := range chosen {
						mean += all[i].Entries / float64(n)
					}
					for _, p := range all {
						whole += p.Entries / float64(len(all))
					}
					expected[at] += math.Abs(mean/whole-1) / draws
				}
			}
		}
	}
	for at := range off {
		t.Logf("%s: off by %.2f %%, at random by %.2f %%; largest %.2f of theirs", at, 100*off[at]/inputsOfAKind,
			100*expected[at]/inputsOfAKind, largest[at]/theirs[at])
		if off[at] > expected[at]/2 || largest[at] < theirs[at]*6/7 {
			t.Errorf("%s: off by %v, at random by %v; largest %v, at random %v", at, off[at], expected[at], largest[at],
				theirs[at])
		}
	}
}

// TestSampleExactly: small inputs by hand.
func TestSampleExactly(t *testing.T) {
	t.Parallel()
	all := []Partition{{100, 10, 40}, {100, 10, 10}, {100, 10, 30}, {100, 10, 20}, {100, 10, 25}}
	s, err := Representative(all, []int{5, 1, 2, 1})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Sizes[0].Chosen, []int{4}) || len(s.Sizes[1].Chosen) != 2 ||
		!slices.Equal(s.Sizes[2].Chosen, []int{0, 1, 2, 3, 4}) || s.Spread != 0.75 {
		t.Errorf("%+v", s)
	}
	for _, size := range s.Sizes {
		mean := 0.0
		for _, i := range size.Chosen {
			mean += all[i].Entries / float64(len(size.Chosen))
		}
		// The variance of the five is 125; finite population.
		n := float64(len(size.Chosen))
		want := SampleSize{size.Chosen, mean/25 - 1, 0, 0, math.Sqrt(125/n*(1-n/5)) / 25}
		if math.Abs(size.Entries-want.Entries)+math.Abs(size.Random-want.Random)+math.Abs(size.Rows)+
			math.Abs(size.Bytes) > 1e-12 || math.Abs(size.Off()-math.Abs(size.Entries)) > 1e-12 {
			t.Errorf("%+v, want %+v", size, want)
		}
	}
}

// TestSampleSizes: each size of each input has so many different partitions, and all of them are exactly like the
// whole.
func TestSampleSizes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= 60; n++ {
		all, sizes := make([]Partition, n), make([]int, n)
		for i := range all {
			all[i], sizes[i] = Partition{1 + r.Float64(), 1 + r.ExpFloat64(), float64(r.IntN(5)) + 0.1}, i+1
		}
		s, err := Representative(all, sizes)
		if err != nil {
			t.Fatal(err)
		}
		for i, size := range s.Sizes {
			if len(slices.Compact(slices.Clone(size.Chosen))) != i+1 || size.Off() > 1 && i > 5 {
				t.Errorf("%d of %d: %+v", i+1, n, size)
			}
		}
		if off := s.Sizes[n-1].Off(); off > 1e-9 {
			t.Errorf("all %d: %v", n, off)
		}
	}
}

// TestSampleDiffers: where no sample of a size can be like the whole, a warning says so.
func TestSampleDiffers(t *testing.T) {
	t.Parallel()
	all := make([]Partition, 20)
	for i := range all {
		all[i] = Partition{Bytes: 100, Rows: 10, Entries: 10}
	}
	all[7].Entries = 1000
	s, err := Representative(all, []int{2, 20})
	if err != nil {
		t.Fatal(err)
	}
	w := s.Warnings()
	if len(w) != 1 || w[0].Code != "sample_differs" ||
		!strings.Contains(w[0].Text,
			"the sample of 2 is not like the whole: a partition of it has -83 % entries, 0 % rows, 0 % bytes") {
		t.Errorf("%+v", w)
	}
	all[7].Entries = 11
	if s, err = Representative(all, []int{2, 20}); err != nil || len(s.Warnings()) > 0 {
		t.Errorf("%v, %+v", err, s)
	}
}

// TestSampleErrors: what cannot be sampled.
func TestSampleErrors(t *testing.T) {
	t.Parallel()
	one := Partition{1, 1, 1}
	for want, c := range map[string]struct {
		all   []Partition
		sizes []int
	}{
		"say of how many partitions":                {[]Partition{one}, nil},
		"samples of 0 to 1 partitions":              {[]Partition{one}, []int{0, 1}},
		"samples of 1 to 2 partitions: they have 1": {[]Partition{one}, []int{1, 2}},
		"no partition has a value that is not zero": {[]Partition{{1, 1, 0}}, []int{1}},
		"no partition has a row":                    {[]Partition{{1, 0, 1}}, []int{1}},
		"no partition has a byte":                   {[]Partition{{0, 1, 1}}, []int{1}},
		"no partition has a value":                  {nil, []int{1}},
		"partition 2 has NaN rows":                  {[]Partition{one, {1, math.NaN(), 1}}, []int{1}},
		"partition 1 has -1 bytes":                  {[]Partition{{-1, 1, 1}}, []int{1}},
		"partition 1 has +Inf entries":              {[]Partition{{1, 1, math.Inf(1)}}, []int{1}},
		"10001 partitions: at most 10000":           {make([]Partition, MaxPartitions+1), []int{1}},
	} {
		if _, err := Representative(c.all, c.sizes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
