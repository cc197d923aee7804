package estimators

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"pgregory.net/rapid"
)

// normal is a distribution of seconds around a mean.
func normal(mean, sd float64) Distribution {
	d := make(Distribution, 200)
	for i := range d {
		d[i] = taskcost.Exact(max(0, 1000*(mean+sd*Normal((float64(i)+0.5)/200))))
	}
	return d
}

// remembered returns earlier runs with the given residuals at any progress.
func remembered(scores ...float64) []dag.Residual {
	var out []dag.Residual
	for i, s := range scores {
		for _, p := range []float64{0.1, 0.9} {
			out = append(out, dag.Residual{Run: fmt.Sprint(i), Progress: p, Score: s})
		}
	}
	return out
}

// Nine runs bound 80% by their best and worst; eight bound nothing, and change nothing: stock scores stand in,
// whatever they were.
func TestFewRunsGetTheStock(t *testing.T) {
	raw := normal(100, 10)
	scores := []float64{-4, -3, -2, -1, 0, 1, 2, 3, 4}
	d, runs := raw.Corrected(TickOf(time.Minute, 0, raw), remembered(scores[:8]...))
	none, _ := raw.Corrected(TickOf(time.Minute, 0, raw), nil)
	if runs != 8 || !slices.Equal(d, none) {
		t.Errorf("8 runs make %d, and a distribution of %v to %v", runs, d.At(0.1), d.At(0.9))
	}
	for q, times := range map[float64]float64{
		0.1: -stockWidth, 0.5: 0, 0.9: stockWidth,
		0.95: stockWidth * 2.92 / 1.886,
	} {
		want := raw.At(0.5) + time.Duration(times*float64(raw.At(0.9)-raw.At(0.5)))
		if got := d.At(q); (got - want).Abs() > time.Second/2 {
			t.Errorf("without a history the quantile of order %v is %v, want about %v", q, got, want)
		}
	}
	d, runs = raw.Corrected(TickOf(time.Minute, 0, raw), remembered(scores...))
	if runs != 9 {
		t.Errorf("9 runs count %d", runs)
	}
	spread := raw.At(0.9) - raw.At(0.5)
	for q, score := range map[float64]float64{0.1: -4, 0.5: 0, 0.9: 4} {
		want := raw.At(0.5) + time.Duration(score*float64(spread))
		// Weights decay slowly, and so orders are not quite those of equal ones.
		if got := d.At(q); (got - want).Abs() > spread/3 {
			t.Errorf("the quantile of order %v is %v, want about %v", q, got, want)
		}
	}
	if d.At(0.975) <= d.At(0.9) || d.At(0.025) >= d.At(0.1) {
		t.Errorf("the tails end at %v and %v", d.At(0.025), d.At(0.975))
	}
}

// Scores are those of the same progress: between two points of a run they are interpolated, outside them they stand.
func TestCorrectionByProgress(t *testing.T) {
	var rs []dag.Residual
	for i := range 20 {
		for _, p := range [][2]float64{{0.2, 0}, {0.6, 4}} {
			rs = append(rs, dag.Residual{Run: fmt.Sprint(i), Progress: p[0], Score: p[1]})
		}
	}
	raw := normal(100, 10)
	spread := raw.At(0.9) - raw.At(0.5)
	for elapsed, score := range map[time.Duration]float64{
		5 * time.Second: 0, 25 * time.Second: 0, 150 * time.Second: 4, 1000 * time.Second: 4,
		raw.At(0.5) * 2 / 3: 2, // progress 0.4
	} {
		d, _ := raw.Corrected(TickOf(elapsed, 0, raw), rs)
		if got, want := d.At(0.5)-raw.At(0.5), time.Duration(score*float64(spread)); (got - want).Abs() >
			time.Millisecond {
			t.Errorf("after %v the median moves by %v, want %v", elapsed, got, want)
		}
	}
}

// New runs count for more than old ones.
func TestOldRunsFade(t *testing.T) {
	var scores []float64
	for i := range 100 {
		s := -1.0
		if i >= 60 {
			s = 1
		}
		scores = append(scores, s)
	}
	raw := normal(100, 10)
	if d, _ := raw.Corrected(TickOf(time.Minute, 0, raw), remembered(scores...)); d.At(0.5) <= raw.At(0.5) {
		t.Errorf("40 new runs against 60 old ones leave the median at %v of %v", d.At(0.5), raw.At(0.5))
	}
	slices.Reverse(scores)
	if d, _ := raw.Corrected(TickOf(time.Minute, 0, raw), remembered(scores...)); d.At(0.5) >= raw.At(0.5) {
		t.Errorf("60 new runs against 40 old ones leave the median at %v of %v", d.At(0.5), raw.At(0.5))
	}
}

// A range that is too narrow and off by half covers 80% once earlier runs show it, at each side 10%.
func TestCorrectionHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const total, runs = 1000.0, 4000
	within, above, n := 0, 0, 0
	var past []dag.Residual
	for i := range runs {
		length := total * math.Exp(0.3*r.NormFloat64())
		elapsed := 0.1 * length
		raw := normal(0.7*(total-elapsed), 20) // 30% too early, and far too sure
		left := taskcost.Exact(1000 * (length - elapsed))
		if d, backed := raw.Corrected(TickOf(taskcost.Exact(1000*elapsed), 0, raw), past); backed >= MinRuns {
			n++
			switch low, high := d.Range(0.8); {
			case left > high:
				above++
			case left >= low:
				within++
			}
		}
		past = append(past, Residuals(fmt.Sprint(i), []RangeTick{TickOf(taskcost.Exact(1000*elapsed), 0, raw)},
			taskcost.Exact(1000*length))...)
		past = past[max(0, len(past)-50):]
	}
	if ratio := float64(within) / float64(n); n < runs-20 || math.Abs(ratio-0.8) > 0.025 {
		t.Errorf("coverage: got %.3f of %d runs, want 0.8", ratio, n)
	}
	if ratio := float64(above) / float64(n); math.Abs(ratio-0.1) > 0.02 {
		t.Errorf("%.3f ended after the range", ratio)
	}
}

// A residual is the true remaining time less the median in spreads of its side, one a bin, of the tick nearest to it.
func TestResiduals(t *testing.T) {
	second := time.Second
	ticks := []RangeTick{
		{Elapsed: 0, Low: second, Median: second, High: second},
		{Elapsed: 9 * second, Low: second, Median: second, High: second},
		{Elapsed: 10 * second, Low: 60 * second, Median: 70 * second, High: 80 * second},
		{Elapsed: 50 * second, Done: 0.5, Low: 40 * second, Median: 60 * second, High: 61 * second},
		{Elapsed: 90 * second, Low: 10 * second, Median: 10 * second, High: 10 * second},
		{Elapsed: 91 * second, Low: 0, Median: 0, High: 0},
	}
	got := Residuals("r", ticks, 100*second)
	want := []dag.Residual{
		{Run: "r", Progress: 10.0 / 80, Score: 2}, // of 90 s: 20 s above the median, 10 s to the 0.9 quantile
		{Run: "r", Progress: 0.5, Score: -0.5},    // of 110 s it would be less, but half of the tasks are done
		{Run: "r", Progress: 0.9, Score: 0},
	}
	if !slices.Equal(got, want) {
		t.Errorf("residuals are %+v, want %+v", got, want)
	}
	// A range that is a point: its spread is a hundredth of the whole length that it predicts.
	if got := Residuals("r", ticks[4:5], 95*second); len(got) != 1 || math.Abs(got[0].Score+5) > 1e-9 {
		t.Errorf("a point that is 5 s off of 100 s leaves %+v, want the score -5", got)
	}
	if got := Residuals("r", nil, 100*second); got != nil {
		t.Errorf("no ticks leave %+v", got)
	}
}

// Whatever the raw distribution and the residuals are, the corrected one is whole: ascending, never negative, and
// of finite times.
func TestCorrectedIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 64, 256}).Draw(t, "values")
		raw := make(Distribution, n)
		for i := range raw {
			raw[i] = time.Duration(rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, int64(time.Hour)),
				rapid.Int64Range(0, int64(dag.MaxLength))).Draw(t, "value"))
		}
		slices.Sort(raw)
		var rs []dag.Residual
		for i := range rapid.IntRange(0, 30).Draw(t, "runs") {
			for range rapid.IntRange(0, 3).Draw(t, "points") {
				rs = append(rs, dag.Residual{
					Run: fmt.Sprint(i), Progress: rapid.OneOf(rapid.SampledFrom([]float64{0, 0.5, 1}),
						rapid.Float64Range(0, 1)).Draw(t, "progress"),
					Score: rapid.OneOf(rapid.SampledFrom([]float64{0, -dag.MaxScore, dag.MaxScore}),
						rapid.Float64Range(-9, 9)).Draw(t, "score"),
				})
			}
		}
		elapsed := time.Duration(rapid.Int64Range(0, int64(dag.MaxLength)).Draw(t, "elapsed"))
		d, runs := raw.Corrected(TickOf(elapsed, 0, raw), rs)
		if len(d) == 0 || !slices.IsSorted(d) || d[0] < 0 {
			t.Fatalf("%d runs make %v", runs, d)
		}
		for _, q := range []float64{0, 0.1, 0.5, 0.9, 1} {
			if p := d.Above(d.At(q)); !(p >= 0 && p <= 1) {
				t.Fatalf("P(more than %v) is %v", d.At(q), p)
			}
		}
	})
}

func equal(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// Of n scores of equal weight the r-th smallest is the quantile of order r/(n+1), whatever their order is.
func TestRanks(t *testing.T) {
	s := weighScores([]float64{30, 10, 20, 50, 40, 70, 60, 90, 80}, equal(9))
	for q, want := range map[float64]float64{0.1: 10, 0.5: 50, 0.9: 90, 0.25: 25, 0.05: 10, 0.99: 90} {
		if got := s.At(q); math.Abs(got-want) > 1e-9 {
			t.Errorf("quantile of order %v is %v, want %v", q, got, want)
		}
	}
	if low, high := s.orders[0], s.orders[8]; math.Abs(low-0.1) > 1e-9 || math.Abs(high-0.9) > 1e-9 {
		t.Errorf("there are quantiles from %v to %v, want 0.1 to 0.9", low, high)
	}
}

// Ties are one value with the weight of all.
func TestTies(t *testing.T) {
	s := weighScores([]float64{1, 2, 2, 2, 2, 2, 2, 2, 3}, equal(9))
	for _, q := range []float64{0.2, 0.5, 0.8} {
		if got := s.At(q); got != 2 {
			t.Errorf("quantile of order %v is %v, want 2", q, got)
		}
	}
}

// A score of double weight is two scores, but for the one that is to come: its weight is the mean.
func TestWeights(t *testing.T) {
	s := weighScores([]float64{1, 2, 3}, []float64{1, 2, 1})
	mean := 4.0 / 3
	for i, want := range []float64{mean/2 + 0.5, mean/2 + 2, mean/2 + 3.5} {
		if got := s.At(want / (4 + mean)); math.Abs(got-float64(i+1)) > 1e-9 {
			t.Errorf("quantile of order %v is %v, want %d", want/(4+mean), got, i+1)
		}
	}
	for c := range 3 {
		w := []float64{1, 2, 1}
		for i := range w {
			w[i] *= math.Pow(7, float64(c))
		}
		if got, want := weighScores([]float64{1, 2, 3}, w).At(0.4), s.At(0.4); math.Abs(got-want) > 1e-9 {
			t.Errorf("scaled weights give %v instead of %v", got, want)
		}
	}
}

// The range between the quantiles of order 0.1 and 0.9 holds 80% of the next scores, for every number of them from 9
// on and whatever the distribution: here half of an exponential one, skewed and with a tail. Ranks rounded outwards
// would hold 89% at 18.
func TestHoldsWhatItPromises(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() float64 { return math.Pow(r.ExpFloat64(), 1.5) }
	for _, n := range []int{9, 12, 18, 19, 35, 60} {
		const trials = 20_000
		within, below := 0, 0
		for range trials {
			scores, weights := make([]float64, n), make([]float64, n)
			for i := range scores {
				scores[i], weights[i] = draw(), math.Exp2(-float64(n-i)/25)
			}
			s := weighScores(scores, weights)
			switch next := draw(); {
			case next < s.At(0.1):
				below++
			case next <= s.At(0.9):
				within++
			}
		}
		// The standard error is 0.003; between two ranks of a skewed tail a straight line lies up to 0.012 too high.
		if ratio := float64(within) / trials; math.Abs(ratio-0.805) > 0.018 {
			t.Errorf("after %d scores the range holds %.3f", n, ratio)
		}
		if ratio := float64(below) / trials; math.Abs(ratio-0.1) > 0.012 {
			t.Errorf("after %d scores %.3f are below the range", n, ratio)
		}
	}
}
