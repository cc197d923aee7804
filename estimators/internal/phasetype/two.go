package phasetype

// maxProduct is the greatest number of pairs of stages for the closed form: beyond, the quadrature is faster, and
// as good.
const maxProduct = 4_000_000

// Min returns the mean, in seconds, and the variance of the smaller of two independent variables.
//
// The stages that both have passed when one ends are a walk on a grid: E[min] = Σ T(i,j)/(a+b) over i < k, j < l,
// where T(i,j) = C(i+j,i) aⁱbʲ/(a+b)^(i+j) is the probability that the walk passes there (docs/facts/queueing.md d;
// Z. Liang and S. Tripathi, "On performance prediction of parallel computations with precedent constraints", 2000).
// T is computed step by step, as a probability, so that a thousand stages neither overflow nor vanish.
func Min(a, b Mixture) (mean, variance float64, err error) {
	if err := validate(a, b); err != nil {
		return 0, 0, err
	}
	if pairs(a, b) > maxProduct {
		m := minimum(a, b)
		return m.Mean, m.Variance, nil
	}
	mean, square := least(a, b)
	return mean, max(0, square-mean*mean), nil
}

// Max returns the mean, in seconds, and the variance of the larger of two independent variables.
func Max(a, b Mixture) (mean, variance float64, err error) {
	if err := validate(a, b); err != nil {
		return 0, 0, err
	}
	if pairs(a, b) > maxProduct {
		m, err := Maximum([]Copies{{a, 1}, {b, 1}})
		return m.Mean, m.Variance, err
	}
	mean, square := least(a, b)
	ma, mb := a.Mean(), b.Mean()
	mean, square = ma+mb-mean, a.Variance()+ma*ma+b.Variance()+mb*mb-square
	return mean, max(0, square-mean*mean), nil
}

func validate(a, b Mixture) error {
	if err := a.Validate(); err != nil {
		return err
	}
	return b.Validate()
}

func pairs(a, b Mixture) int {
	sum := 0
	for _, x := range a {
		for _, y := range b {
			sum += x.Stages * y.Stages
		}
	}
	return sum
}

// least returns E[min] and E[min²].
func least(a, b Mixture) (mean, square float64) {
	for _, x := range a {
		for _, y := range b {
			m, s := walk(x, y)
			mean += x.Weight * y.Weight * m
			square += x.Weight * y.Weight * s
		}
	}
	return mean, square
}

func walk(a, b Branch) (mean, square float64) {
	both := a.Rate + b.Rate
	right, down := b.Rate/both, a.Rate/both
	row := make([]float64, b.Stages)
	for i := range a.Stages {
		for j := range row {
			switch {
			case i == 0 && j == 0:
				row[j] = 1
			case i == 0:
				row[j] = right * row[j-1]
			case j == 0:
				row[j] *= down
			default:
				row[j] = down*row[j] + right*row[j-1]
			}
			mean += row[j]
			square += 2 * float64(i+j+1) * row[j]
		}
	}
	return mean / both, square / both / both
}
