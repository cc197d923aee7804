package ernest

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/units"
)

// Limits for reporting that a shape outside the model explains its errors: the leave-one-out error, and the share of
// it that is left with the shape. Small errors must be explained better, since they matter only for far
// extrapolations.
const (
	patternError, patternShare         = 0.10, 0.45
	finePatternError, finePatternShare = 0.02, 0.25
	// patternRows is how many more rows than terms are needed. With fewer rows some shape always fits the noise.
	patternRows = 4
)

// thresholds limits the tried positions of a cliff, patternFolds the number of fits for each shape.
const (
	thresholds   = 8
	patternFolds = 40
)

// A shape is a function of machines and scale that the model does not have. Its code and text explain what it would
// mean.
type shape struct {
	name, code, text string
	advice           string
	at               func(machines, scale float64) float64
}

// opposites are the codes and texts of shapes that lower times, by the code of the shape.
var opposites = map[string]Warning{
	"faster_than_scale": {"slower_than_scale", "times grow more slowly with scale than work that is divided does"},
	"memory_cliff":      {"levels_off", "times level off where machines have much input each"},
	"machines_grow":     {"superlinear_speedup", "more machines gain more than their share"},
}

func (m *Model) shapes() []shape {
	var shapes []shape
	for _, t := range suspectTerms {
		if !slices.Contains(m.Terms, t) {
			shapes = append(shapes, shape{
				t.String(), "faster_than_scale",
				"times grow faster with scale than work that is divided among machines does, as with a serial or quadratic reducer",
				fmt.Sprintf(": try %s as a further term", t), t.At,
			})
		}
	}
	cliff := "times rise steeply where a machine has more input, as when memory is full"
	shapes = append(shapes,
		shape{"log(scale)", "faster_than_scale", "times grow by the logarithm of scale", "", func(_, s float64) float64 {
			return math.Log(s)
		}},
		shape{"machines^2", "machines_grow", "times grow faster than the number of machines", "", func(m, _ float64) float64 {
			return m * m
		}},
		shape{
			"1/machines", "machines_divide",
			"work that does not grow with scale is divided among machines, or more machines gain more than their share",
			"", func(m, _ float64) float64 { return 1 / m },
		},
		shape{"(scale/machines)^2", "memory_cliff", cliff, "", func(m, s float64) float64 { return s / m * s / m }})
	each := distinct(m.Rows, func(r Row) float64 { return r.Scale / r.Machines })
	tried := min(thresholds, len(each)-1)
	for i := range tried {
		at := i * (len(each) - 1) / tried
		c := (each[at] + each[at+1]) / 2
		above := fmt.Sprintf("scale/machines above %.3g", c)
		text := cliff + " (" + above + ")"
		shapes = append(shapes,
			shape{"a bend at " + above, "memory_cliff", text, "", func(m, s float64) float64 { return max(0, s/m-c) }},
			shape{"a step at " + above, "memory_cliff", text, "", func(m, s float64) float64 {
				if s/m > c {
					return 1
				}
				return 0
			}})
	}
	return shapes
}

// missed warns if a shape explains the errors of the model: the one that lowers the leave-one-out error most.
func (m *Model) missed() {
	if !(m.LOO >= finePatternError) {
		return
	}
	own, scored := m.meanError(m.leaveOut(m.features(m.Terms), patternFolds))
	var best shape
	least := math.Inf(1)
	for _, s := range m.shapes() {
		of, r, err := m.withShape(&s)
		if err != nil || r.span.Rank <= m.Rank || r.x[len(m.Terms)] == 0 {
			continue
		}
		if loo, count := m.meanError(m.leaveOut(of, patternFolds)); count >= scored && loo < least {
			best, least = s, loo
		}
	}
	share := least / own
	coarse := m.LOO >= patternError && len(m.Rows)-len(m.Terms) >= patternRows && share <= patternShare
	if share <= finePatternShare || coarse {
		m.warn(best.code, "the model misses a pattern: %s; leaving one out, its mean error is %s, with %s it were %s%s",
			best.text, units.Tenths(m.LOO), best.name, units.Tenths(m.LOO*share), best.advice)
	}
}

// withShape fits the model with one more shape. The shape raises times if that fits better, else it lowers them.
func (m *Model) withShape(s *shape) (featurer, *regression, error) {
	signed := func(sign float64) featurer {
		return func(c *configuration) []float64 {
			return append(m.features(m.Terms)(c), sign*s.at(c.Machines, c.Scale))
		}
	}
	r, err := regress(m.all, signed(1), false)
	if err != nil || r.x[len(m.Terms)] > 0 {
		return signed(1), r, err
	}
	s.advice = ""
	if opposite, ok := opposites[s.code]; ok {
		s.code, s.text = opposite.Code, opposite.Text
	}
	r, err = regress(m.all, signed(-1), false)
	return signed(-1), r, err
}
