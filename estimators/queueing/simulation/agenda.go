package simulation

import "math"

// An agenda knows which centre's next departure is the earliest: a tournament of all centres, in which ties go to the
// first.
type agenda struct {
	when []float64
	win  []int32 // a binary tree of winners: win[1] is the first of all
	base int
}

func newAgenda(n int) *agenda {
	base := 1
	for base < n {
		base *= 2
	}
	a := &agenda{make([]float64, base), make([]int32, 2*base), base}
	for i := range a.when {
		a.when[i] = math.Inf(1)
		a.win[base+i] = int32(i)
	}
	for k := base - 1; k > 0; k-- {
		a.win[k] = a.win[2*k]
	}
	return a
}

// set says when a centre's next departure is.
func (a *agenda) set(i int, when float64) {
	a.when[i] = when
	for k := (a.base + i) / 2; k > 0; k /= 2 {
		l, r := a.win[2*k], a.win[2*k+1]
		if a.when[r] < a.when[l] {
			l = r
		}
		a.win[k] = l
	}
}

// first is the centre that is next, and when.
func (a *agenda) first() (int, float64) {
	i := int(a.win[1])
	return i, a.when[i]
}
