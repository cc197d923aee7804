package ernest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/units"
)

// Extrapolation is the distance of a point beyond the rows. Its factors are at least 1, and 1 within the rows' range.
type Extrapolation struct {
	Machines, Scale float64 // factor beyond the largest or smallest value of the rows
	PerMachine      float64 // factor of scale/machines beyond the largest of the rows: more input a machine
	Distance        float64 // of machines and scale together, in doublings: 0 inside, 3 for eight times the scale
}

// Limits of extrapolation. The paper trains with a tenth of the input and predicts four times the machines (§6.3). No
// evidence supports more, but the model allows it.
const (
	UsualScale       = 32
	UsualMachines    = 4
	FarthestScale    = 128
	FarthestMachines = 16
)

// A reach is the range of the rows' values.
type reach struct {
	machines, scale [2]float64
	each            float64 // the largest scale/machines
}

func reachOf(rows []Row) reach {
	r := reach{machines: [2]float64{rows[0].Machines, rows[0].Machines}, scale: [2]float64{
		rows[0].Scale,
		rows[0].Scale,
	}}
	for _, row := range rows {
		r.machines = [2]float64{min(r.machines[0], row.Machines), max(r.machines[1], row.Machines)}
		r.scale = [2]float64{min(r.scale[0], row.Scale), max(r.scale[1], row.Scale)}
		r.each = max(r.each, row.Scale/row.Machines)
	}
	return r
}

func (r reach) extrapolation(machines, scale float64) Extrapolation {
	x := Extrapolation{
		Machines:   beyond(machines, r.machines),
		Scale:      beyond(scale, r.scale),
		PerMachine: beyond(scale/machines, [2]float64{0, r.each}),
	}
	x.Distance = math.Log2(x.Machines) + math.Log2(x.Scale)
	return x
}

// beyond returns the factor by which v leaves a range, or 1 inside. It ignores rounding errors.
func beyond(v float64, within [2]float64) float64 {
	const rounding = 1 + 1e-9
	factor := max(v/within[1], within[0]/v)
	if factor <= rounding {
		return 1
	}
	return factor
}

// times formats a factor.
func times(factor float64) string {
	if factor < 10 {
		return fmt.Sprintf("%.2g times", factor)
	}
	return fmt.Sprintf("%.3g times", factor)
}

// A further term must lower the leave-one-out error by this share and this amount. One of several terms always lowers
// it somewhat by chance.
const (
	extraShare  = 0.3
	extraAmount = 0.005
)

// usualExtra returns the terms that Fit tries by default: those of §3.4, undivided work, and pairs of records.
func usualExtra(rows []Row) []Term {
	usual := []Term{Scale, SqrtScale, ScaleSquaredPerMachine}
	if checkSized(ScaleLogSquaredPerMachine, rows) == nil {
		usual = append(usual, ScaleLogSquaredPerMachine)
	}
	return usual
}

// tryExtra adds the extra term that lowers the leave-one-out error most, and repeats while that is worthwhile (§3.4).
// With the parameter asked, a warning lists the terms that were not added.
func (m *Model) tryExtra(extra []Term, asked bool) error {
	var left []Term
	for _, t := range extra {
		if int(t) >= len(termNames) {
			return &TermError{t, "there is no such term"}
		}
		if slices.Contains(m.Terms, t) || slices.Contains(left, t) {
			continue
		}
		if err := checkSized(t, m.Rows); err != nil {
			m.Warnings = append(m.Warnings, Warning{"extra_term_impossible", err.Error()})
			continue
		}
		left = append(left, t)
	}
	group, groups := configurations(m.Rows)
	for len(left) > 0 {
		_, scored := meanError(m.Left, m.base.seconds)
		best, least := -1, math.Inf(1)
		for i, t := range left {
			r, err := m.with(append(slices.Clone(m.Terms), t))
			if err != nil || r.span.Rank <= m.Rank {
				continue // it overflows, or cannot be told from the others
			}
			loo, n := meanError(r.leaveOut(group, groups, maxFolds), r.seconds)
			if n >= scored && loo < least {
				best, least = i, loo
			}
		}
		if best < 0 || !(least < m.LOO*(1-extraShare) && least < m.LOO-extraAmount) {
			break
		}
		before := m.LOO
		m.Terms = append(m.Terms, left[best])
		if err := m.regress(); err != nil {
			return err
		}
		m.Warnings = append(m.Warnings,
			Warning{
				"extra_term",
				fmt.Sprintf("%s is in the model by cross-validation: leaving one out, the mean error falls from %s to %s",
					left[best], units.Tenths(before), units.Tenths(m.LOO)),
			})
		left = slices.Delete(left, best, best+1)
	}
	if len(left) > 0 && asked {
		m.Warnings = append(m.Warnings,
			Warning{
				"extra_term_left_out",
				fmt.Sprintf("not in the model: %s would not lower the leave-one-out error of %s enough",
					names(left), units.Tenths(m.LOO)),
			})
	}
	return nil
}

func names(terms []Term) string {
	s := make([]string, len(terms))
	for i, t := range terms {
		s[i] = t.String()
	}
	return strings.Join(s, ", ")
}
