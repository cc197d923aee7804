package ernest

import (
	"fmt"
	"math"

	"github.com/paratimer/paratimer/units"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A suspect is a term that the rows speak for, if not loudly enough to be in the model: where the model with it says
// more, the range reaches as far. TestScattered has what is gained by looking for them, and what is lost.
type suspect struct {
	term   Term
	chance float64   // how likely noise alone speaks as loudly
	x      []float64 // the coefficients, seconds per unit; that of term is the last
}

const (
	// byChance is from what chance on the rows do not speak for a further term.
	byChance = 0.05
	// disagree is by what factor a prediction with it must differ for the model's to count.
	disagree = 1.5
)

// suspectTerms are work that grows faster with scale than what is divided: what small runs show least of, and large
// ones suffer most.
var suspectTerms = []Term{Scale, ScaleSquaredPerMachine, ScaleSquared}

// findSuspects are the models with one of suspectTerms whose coefficient is above 0 by Student's test. Errors count as
// shares of the times, since runs are noisy by a share.
func (m *Model) findSuspects() (found []suspect) {
	if notPositive(m.Rows) > 0 {
		return nil
	}
	own, err := m.relative(m.Terms)
	if err != nil {
		return nil
	}
	for _, t := range suspectTerms {
		terms := append(m.Terms[:len(m.Terms):len(m.Terms)], t)
		r, err := m.relative(terms)
		if err != nil || r.info.Rank <= own.info.Rank || r.x[len(m.Terms)] == 0 {
			continue
		}
		free := float64(len(m.Rows) - r.active())
		if free < 1 {
			continue
		}
		noise := r.residual * r.residual / free
		loud := math.Sqrt(max(0, own.residual*own.residual-r.residual*r.residual) / noise)
		if chance := (distuv.StudentsT{Sigma: 1, Nu: free}).Survival(loud); chance <= byChance {
			found = append(found, suspect{t, chance, r.x})
		}
	}
	return found
}

// relative is the regression on terms of the rows, each divided by its time.
func (m *Model) relative(terms []Term) (*regression, error) {
	a, ones := mat.NewDense(len(m.Rows), len(terms), nil), make([]float64, len(m.Rows))
	for i, row := range m.Rows {
		for j, f := range features(terms, row.Machines, row.Scale) {
			a.Set(i, j, f/row.Seconds)
		}
		ones[i] = 1
	}
	return regress(a, ones)
}

// suspected is what the model with a suspect says of a point where that is much more, and a warning; NaN and nil where
// none is.
func (m *Model) suspected(p *Prediction) (seconds float64, warnings []Warning) {
	for _, r := range m.suspects {
		terms := append(m.Terms[:len(m.Terms):len(m.Terms)], r.term)
		v := dot(features(terms, p.Machines, p.Scale), r.x)
		if v >= disagree*p.Seconds {
			return v, []Warning{{"faster_than_scale", fmt.Sprintf(
				"with %s the model fits better, by chance in %s of cases, and says %s instead of %s: measure at a scale nearer to %g, or fit with %s among the terms",
				r.term, units.Tenths(r.chance), units.Seconds(v), units.Seconds(p.Seconds), p.Scale, r.term)}}
		}
	}
	return math.NaN(), nil
}
