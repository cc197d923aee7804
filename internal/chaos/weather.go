package chaos

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// A Weather is which faults there are, and how often. Same weather, same faults.
type Weather struct {
	Seed   uint64
	Rate   float64 // share of the answers that are spoilt, 0..1
	Faults []Fault // with which of these
	// Spells are how many questions to one address in a row share their luck: trouble comes in spells.
	Spells int
}

// Of is the weather of a seed: from a fault now and then, in long spells, to every second answer spoilt; one kind of fault,
// a few, or all.
func Of(seed uint64) Weather {
	r := rand.New(rand.NewPCG(seed, 1))
	kinds := []Weather{{Rate: 0.01, Spells: 8}, {Rate: 0.05, Spells: 4}, {Rate: 0.05, Spells: 1}, {Rate: 0.2, Spells: 2}, {Rate: 0.5, Spells: 1}}
	w := kinds[r.IntN(len(kinds))]
	w.Seed, w.Faults = seed, Faults()
	if n := []int{0, 0, 1, 3}[r.IntN(4)]; n > 0 {
		r.Shuffle(len(w.Faults), func(i, k int) { w.Faults[i], w.Faults[k] = w.Faults[k], w.Faults[i] })
		w.Faults = w.Faults[:n]
	}
	return w
}

func (w Weather) String() string {
	all := make([]string, len(w.Faults))
	for i, f := range w.Faults {
		all[i] = f.String()
	}
	if len(w.Faults) == len(Faults()) {
		all = []string{"all faults"}
	}
	return fmt.Sprintf("%.0f %% of the answers, %d in a row: %s", 100*w.Rate, w.Spells, strings.Join(all, ", "))
}

// fault is what happens to the nth answer of an address, and a source of everything else that is to be chosen for it. It
// does not depend on the order in which addresses are asked.
func (w Weather) fault(address string, nth int) (Fault, *rand.Rand) {
	h := fnv.New64a()
	fmt.Fprint(h, address, nth/max(1, w.Spells))
	luck := rand.New(rand.NewPCG(w.Seed, h.Sum64()))
	if len(w.Faults) == 0 || luck.Float64() >= w.Rate {
		return Whole, nil
	}
	f := w.Faults[luck.IntN(len(w.Faults))]
	fmt.Fprint(h, nth)
	return f, rand.New(rand.NewPCG(w.Seed, h.Sum64()))
}
