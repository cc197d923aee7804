package ernest

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A shape is a function of machines and scale that the model does not have. Its code and text explain what it would
// mean.
type shape struct {
	name, code, text string
	term             Term // the term to add to the model, or terms if there is none
	at               func(machines, scale float64) float64
}

func (s *shape) advice() string {
	if s.term == terms {
		return ""
	}
	return fmt.Sprintf(": try %s as a further term", s.term)
}

// thresholds limits the tried positions of a cliff, patternFolds the number of fits for each shape.
const (
	thresholds   = 8
	patternFolds = 40
)

// pattern returns the shape that lowers the leave-one-out error most, and the share of the error that is left. A
// shape may raise or lower times. The result is nil and 1 if no shape can be separated from the terms.
func (m *Model) pattern() (*shape, float64) {
	group, groups := configurations(m.Rows)
	base, scored := meanError(m.base.leaveOut(group, groups, patternFolds), m.base.seconds)
	var best *shape
	least := math.Inf(1)
	for _, s := range m.shapes() {
		r, err := m.withShape(&s)
		if err != nil || r.span.Rank <= m.Rank || r.x[len(m.Terms)] == 0 {
			continue
		}
		if loo, count := meanError(r.leaveOut(group, groups, patternFolds), r.seconds); count >= scored && loo < least {
			best, least = &s, loo
		}
	}
	if best == nil {
		return nil, 1
	}
	return best, least / base
}

// withShape fits the model with one more shape. The shape raises times if that fits better, else it lowers them.
func (m *Model) withShape(s *shape) (*regression, error) {
	n, k := m.base.a.Dims()
	a := mat.NewDense(n, k+1, nil)
	a.Slice(0, n, 0, k).(*mat.Dense).Copy(m.base.a)
	set := func(sign float64) (*regression, error) {
		for i, row := range m.Rows {
			a.Set(i, k, sign*s.at(row.Machines, row.Scale))
		}
		return regress(a, m.base.seconds)
	}
	r, err := set(1)
	if err != nil || r.x[k] > 0 {
		return r, err
	}
	s.lower()
	return set(-1)
}

// lower replaces the code and text of a shape by their opposite.
func (s *shape) lower() {
	s.term = terms
	switch s.code {
	case "faster_than_scale":
		s.code, s.text = "slower_than_scale", "times grow more slowly with scale than work that is divided does"
	case "memory_cliff":
		s.code, s.text = "levels_off", "times level off where machines have much input each"
	case "machines_grow":
		s.code, s.text = "superlinear_speedup", "more machines gain more than their share"
	}
}

func (m *Model) shapes() []shape {
	faster := func(t Term) shape {
		return shape{
			t.String(), "faster_than_scale",
			"times grow faster with scale than work that is divided among machines does, as with a serial or quadratic reducer", t, t.At,
		}
	}
	shapes := []shape{
		faster(Scale), faster(ScaleSquaredPerMachine), faster(ScaleSquared),
		{"log(scale)", "faster_than_scale", "times grow by the logarithm of scale", terms, func(_, s float64) float64 {
			return math.Log(s)
		}},
		{
			"machines^2", "machines_grow", "times grow faster than the number of machines", terms,
			func(m, _ float64) float64 { return m * m },
		},
		{
			"1/machines", "machines_divide",
			"work that does not grow with scale is divided among machines, or more machines gain more than their share",
			terms, func(m, _ float64) float64 { return 1 / m },
		},
	}
	cliff := "times rise steeply where a machine has more input, as when memory is full"
	shapes = append(shapes, shape{"(scale/machines)^2", "memory_cliff", cliff, terms, func(m, s float64) float64 {
		return s / m * s / m
	}})
	each := slices.Compact(column(m.Rows, func(r Row) float64 { return r.Scale / r.Machines }))
	tried := min(thresholds, len(each)-1)
	for i := range tried {
		at := i * (len(each) - 1) / tried
		c := (each[at] + each[at+1]) / 2
		above := fmt.Sprintf("scale/machines above %.3g", c)
		shapes = append(shapes,
			shape{"a bend at " + above, "memory_cliff", cliff + " (" + above + ")", terms, func(m, s float64) float64 {
				return max(0, s/m-c)
			}},
			shape{"a step at " + above, "memory_cliff", cliff + " (" + above + ")", terms, func(m, s float64) float64 {
				if s/m > c {
					return 1
				}
				return 0
			}})
	}
	return slices.DeleteFunc(shapes, func(s shape) bool { return s.term != terms && slices.Contains(m.Terms, s.term) })
}
