package models

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/estimators/ernest"
)

// rcv1 are the training runs in the example of the authors' program (amplab/ernest, examples/rcv1-parsed.csv): cores,
// fraction of the input, seconds.
var rcv1 = []ernest.Row{
	{Machines: 32, Scale: .125, Seconds: 7.94516801834},
	{Machines: 4, Scale: .015625, Seconds: 4.72029209137},
	{Machines: 4, Scale: .021382, Seconds: 4.87661099434},
	{Machines: 12, Scale: .050164, Seconds: 6.71376490593},
	{Machines: 12, Scale: .055921, Seconds: 6.71519398689},
	{Machines: 12, Scale: .061678, Seconds: 6.6739718914},
	{Machines: 16, Scale: .061678, Seconds: 6.83566999435},
}

// printed are the times in examples/mllib_rcv1.md for the whole input, by cores.
var printed = []struct {
	cores   float64
	seconds float64
}{
	{4, 44.6515640166},
	{8, 25.4777295249},
	{12, 19.36348049},
	{16, 16.4412832993},
	{20, 14.7682298198},
	{24, 13.7061636865},
	{28, 12.9855393036},
}

// solved are the coefficients in the order of ernest.BaseTerms, and the norm of the residuals. scipy's nnls, Octave's
// lsqnonneg and an enumeration of active sets agree on them (docs/facts/ernest.md a.2).
var solved = struct {
	coefficients [4]float64
	residual     float64
}{[4]float64{1.90012687023, 162.19821226, 0, 1.58832362245}, .272974481963}

func coefficients() section {
	return section{"Ernest: the documented example", func(p printer) error {
		m, err := ernest.Fit(rcv1, ernest.FitOptions{})
		if err != nil {
			return err
		}
		worst := 0.0
		row := func(name string, published, ours float64) {
			apart := math.Abs(ours - published)
			if published != 0 {
				apart /= published
			}
			worst = math.Max(worst, apart)
			p("%s", line(name, fmt.Sprintf("%.12g", published), fmt.Sprintf("%.12g", ours)))
		}
		head(p, "figure", "published", "ours")
		for i, term := range m.Terms {
			row(fmt.Sprintf("coefficient of %s", term), solved.coefficients[i], m.Coefficients[i])
		}
		row("norm of the residuals, s", solved.residual, m.Residual)
		for _, c := range printed {
			row(fmt.Sprintf("whole input on %v cores, s", c.cores), c.seconds, m.Predict(ernest.Point{Machines: c.cores, Scale: 1}).Seconds)
		}
		p("")
		p("The largest relative difference is %s. %s", upTo(worst), coefficientsWords)
		return nil
	}}
}

// upTo formats a small figure as a power of ten that bounds it. Its digits are rounding errors, which differ between
// machines.
func upTo(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("below 1e%d", int(math.Floor(math.Log10(v)))+1)
}
