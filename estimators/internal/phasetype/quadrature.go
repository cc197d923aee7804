package phasetype

import "math"

// The nodes and weights of the Gauss-Kronrod rule of 7 and 15 points (R. Piessens et al., QUADPACK, 1983: qk15).
var (
	nodes = [8]float64{
		0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926,
		0.741531185599394439863864773280788, 0.586087235467691130294144691258383, 0.405845151377397166906606412076961,
		0.207784955007898467600689403773245, 0,
	}
	kronrod = [8]float64{
		0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518,
		0.140653259715525918745189590510238, 0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
		0.204432940075298892414161999234649, 0.209482141084727828012999174891714,
	}
	gauss = [4]float64{
		0.129484966168869693270611432679082, 0.279705391489276667901467771423780, 0.381830050505118944950369775488975,
		0.417959183673469387755102040816327,
	}
)

// ends are the weights that extrapolate a polynomial from the five nodes next to an end to that end.
var ends = func() (w [5]float64) {
	for i := range w {
		w[i] = 1
		for j := range w {
			if j != i {
				w[i] *= (1 - nodes[j]) / (nodes[i] - nodes[j])
			}
		}
	}
	return w
}()

const (
	depth   = 24     // maximum number of times a piece is halved
	budget  = 20_000 // maximum number of pieces of one integral
	precise = 1e-11  // greatest difference of the two rules on a piece, as a part of its end
)

// integrate halves pieces until the two rules agree, and returns their remaining difference. The true error is far
// less: the difference is that of the rule of 7 points.
//
// Functions are about 1 at most, and mostly monotone. The rules detect a step or a kink between two nodes, but not
// one between an end and its nearest node. So the value at the end is compared with the extrapolation from the
// nodes.
func integrate(f func(float64) float64, a, b float64) (sum, off float64) {
	q := &quadrature{f: f, left: budget}
	return q.halve(a, b, f(a), f(b), precise*b, depth)
}

type quadrature struct {
	f    func(float64) float64
	left int // pieces
}

func (q *quadrature) halve(a, b, fa, fb, tolerance float64, left int) (sum, off float64) {
	centre, half := (a+b)/2, (b-a)/2
	middle := q.f(centre)
	seven, fifteen := gauss[3]*middle, kronrod[7]*middle
	for i, x := range nodes[:7] {
		low, high := q.f(centre-half*x), q.f(centre+half*x)
		fifteen += kronrod[i] * (low + high)
		if i%2 == 1 {
			seven += gauss[i/2] * (low + high)
		}
		if i < len(ends) {
			fa -= ends[i] * low
			fb -= ends[i] * high
		}
	}
	unseen := (math.Abs(fa) + math.Abs(fb)) * (1 - nodes[0]) * half
	sum, off = fifteen*half, math.Abs(fifteen-seven)*half+unseen
	q.left--
	if left == 0 || q.left <= 0 || math.IsNaN(off) || off <= tolerance {
		return sum, off
	}
	s1, o1 := q.halve(a, centre, q.f(a), middle, tolerance/2, left-1)
	s2, o2 := q.halve(centre, b, middle, q.f(b), tolerance/2, left-1)
	return s1 + s2, o1 + o2
}
