package simulation

import "math"

// An agenda finds the centre with the earliest next departure. It is a tournament of all centres; the lower index
// wins a tie.
type agenda struct {
	when []float64
	win  []int32 // a binary tree of winners: win[1] is the earliest of all
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

// set updates the time of a centre's next departure.
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

// first returns the centre with the earliest departure, and its time.
func (a *agenda) first() (int, float64) {
	i := int(a.win[1])
	return i, a.when[i]
}
