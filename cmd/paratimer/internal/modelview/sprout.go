package modelview

import (
	"fmt"
	"math"
	"strconv"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// A sprout is a node of a precedence tree for drawing. Parts that are too deep or too many are cut and counted.
type sprout struct {
	label string // S, P_A, or a leaf's class
	mean  float64
	sd    float64       // NaN if the variance is unknown
	kind  queueing.Kind // of a leaf
	cut   bool          // it stands for parts that were left out
	parts []*sprout
}

// limits bound a drawing.
type limits struct {
	depth, parts int // levels, and parts of a node
	nodes        int // in all
}

// prune returns a tree within the limits.
func prune(t *queueing.Tree, lim limits) *sprout {
	left := lim.nodes
	return grow(t, queueing.Leaf, lim, 1, &left)
}

func grow(t *queueing.Tree, under queueing.Operator, lim limits, depth int, left *int) *sprout {
	*left--
	s := &sprout{label: label(t, under), mean: t.Mean, sd: math.Sqrt(t.Variance), kind: t.Kind}
	for i, p := range t.Parts {
		if depth >= lim.depth || i >= lim.parts || *left <= 0 {
			s.parts = append(s.parts, &sprout{
				label: fmt.Sprintf("… and %d more", len(t.Parts)-i), mean: math.NaN(),
				sd: math.NaN(), cut: true,
			})
			*left--
			break
		}
		s.parts = append(s.parts, grow(p, t.Op, lim, depth+1, left))
	}
	return s
}

// class returns the color class of a leaf.
func (s *sprout) class() string {
	if s.cut {
		return "cut"
	}
	return s.kind.String()
}

// label names a tree. Under a serial operator equal parts follow each other, under the others they are side by
// side.
func label(t *queueing.Tree, under queueing.Operator) string {
	s := t.Op.String()
	if t.Op == queueing.Leaf {
		s = tasks(t.Kind, t.Tasks)
		if t.Tasks != 1 {
			s += " in turn"
		}
	}
	switch {
	case t.Count <= 1:
		return s
	case under == queueing.Serial:
		return s + ", " + strconv.Itoa(t.Count) + " times"
	}
	return s + " ×" + strconv.Itoa(t.Count)
}

// tasks formats a number of tasks of a kind.
func tasks(k queueing.Kind, n int) string {
	if n == 1 {
		return k.String()
	}
	return strconv.Itoa(n) + " " + k.String() + "s"
}
