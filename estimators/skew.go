package estimators

import (
	"cmp"
	"slices"
)

// A bounds is what a reduce phase may still take, in milliseconds, from the first instant at which its tasks can work.
type bounds struct{ low, high float64 }

// A share is n tasks of equal remaining time.
type share struct {
	ms float64
	n  int
}

// algorithm1 bounds the time that a phase's running (scheduled) and pending (blocked) tasks take on c slots, whatever
// the order in which the pending ones are handed out: Algorithm 1 of section 3.3 (docs/facts/paratimer.md P20). With
// n = ceil(pending/c),
//
//	high = max(scheduled) + the n largest of blocked
//	low  = min(scheduled) + the n smallest of blocked
//
// It holds for one phase on slots of its own. With tight, low is at least the longest task and the whole work over c.
func algorithm1(p *phase, c int, tight bool) bounds {
	var b bounds
	var work, longest float64
	blocked := make([]share, 0, len(p.stretches))
	started := false
	for g := range p.all() {
		work += g.Rem * float64(g.Count)
		longest = max(longest, g.Rem)
		switch {
		case !g.Running:
			blocked = append(blocked, share{g.Rem, g.Count})
		case !started:
			started = true
			b = bounds{g.Rem, g.Rem}
		default:
			b = bounds{min(b.low, g.Rem), max(b.high, g.Rem)}
		}
	}
	n := (p.Pending + c - 1) / c
	least, most := extremes(blocked, n)
	b.low += least
	b.high += most
	if tight {
		b.low = max(b.low, longest, work/float64(c))
	}
	return b
}

// extremes returns the sums of the n smallest and of the n largest. It reorders the shares.
func extremes(shares []share, n int) (least, most float64) {
	slices.SortFunc(shares, func(a, b share) int { return cmp.Compare(a.ms, b.ms) })
	return sumFirst(shares, n, 0, 1), sumFirst(shares, n, len(shares)-1, -1)
}

// sumFirst sums n tasks of the shares from index i on in steps.
func sumFirst(shares []share, n, i, step int) float64 {
	sum := 0.0
	for ; n > 0 && i >= 0 && i < len(shares); i += step {
		m := min(n, shares[i].n)
		sum += shares[i].ms * float64(m)
		n -= m
	}
	return sum
}
