package compare

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/paratimer/paratimer/units"
)

// medianOf returns the median, for an even number the mean of the two middle values; NaN if there are none.
func medianOf(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// draws is the number of bootstrap samples. The ends of a 99 % interval are then its 5th values from either side.
const draws = 1000

// stream separates these random numbers from others with the same seed.
const stream = 0x636f6d70617265

// medianRatio returns the interval of median(b)/median(a) that contains the fraction level of the bootstrap's
// samples (percentile method; Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). Values
// must be above 0. The same values give the same interval.
func medianRatio(b, a []float64, level float64) (low, high units.Float) {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	random := rand.New(rand.NewPCG(uint64(len(a)), stream^uint64(len(b))))
	drawn := make([]units.Float, draws)
	for i := range drawn {
		drawn[i] = units.Float(medianAgain(b, random) / medianAgain(a, random))
	}
	slices.Sort(drawn)
	tail := int((1 - level) / 2 * draws)
	return drawn[tail], drawn[draws-1-tail]
}

// medianAgain returns the median of a bootstrap sample of the sorted values. It draws the median directly: the k-th
// of n uniform numbers has the distribution Beta(k, n+1-k), and the next one is the least of n-k uniform numbers
// above it.
func medianAgain(sorted []float64, random *rand.Rand) float64 {
	n := len(sorted)
	k := (n + 1) / 2
	u := distuv.Beta{Alpha: float64(k), Beta: float64(n + 1 - k), Src: random}.Rand()
	v := u
	if n%2 == 0 {
		v += (1 - u) * (1 - math.Pow(random.Float64(), 1/float64(n-k)))
	}
	return (at(sorted, u) + at(sorted, v)) / 2
}

func at(sorted []float64, u float64) float64 {
	return sorted[min(int(u*float64(len(sorted))), len(sorted)-1)]
}

// chanceOf returns the factor by which a later value may differ by chance from the geometric mean of the earlier ones:
// a prediction interval of the logarithms, by Student's t. It needs three earlier values.
func chanceOf(earlier []float64, level float64) float64 {
	logs := make([]float64, len(earlier))
	for i, v := range earlier {
		logs[i] = math.Log(v)
	}
	n := float64(len(earlier))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1 + level) / 2)
	return math.Exp(t * stat.StdDev(logs, nil) * math.Sqrt(1+1/n))
}
