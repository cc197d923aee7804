package chaos

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// A FaultPlan says which faults there are, and how often. The same plan gives the same faults.
type FaultPlan struct {
	Seed   uint64
	Rate   float64 // share of the answers that are corrupted, 0..1
	Faults []Fault // with which of these
	// Burst is how many requests to one address in a row share their luck: faults come in bursts.
	Burst int
}

// Of is the fault plan of a seed: from a fault now and then, in long bursts, to every second answer corrupted; one kind
// of fault, a few, or all.
func Of(seed uint64) FaultPlan {
	r := rand.New(rand.NewPCG(seed, 1))
	kinds := []FaultPlan{
		{Rate: 0.01, Burst: 8},
		{Rate: 0.05, Burst: 4},
		{Rate: 0.05, Burst: 1},
		{Rate: 0.2, Burst: 2},
		{Rate: 0.5, Burst: 1},
	}
	w := kinds[r.IntN(len(kinds))]
	w.Seed, w.Faults = seed, Faults()
	if n := []int{0, 0, 1, 3}[r.IntN(4)]; n > 0 {
		r.Shuffle(len(w.Faults), func(i, k int) { w.Faults[i], w.Faults[k] = w.Faults[k], w.Faults[i] })
		w.Faults = w.Faults[:n]
	}
	return w
}

func (w FaultPlan) String() string {
	all := make([]string, len(w.Faults))
	for i, f := range w.Faults {
		all[i] = f.String()
	}
	if len(w.Faults) == len(Faults()) {
		all = []string{"all faults"}
	}
	return fmt.Sprintf("%.0f %% of the answers, %d in a row: %s", 100*w.Rate, w.Burst, strings.Join(all, ", "))
}

// fault is what happens to the nth answer of an address, and a source of everything else that is to be chosen for it.
// It does not depend on the order in which addresses are asked.
func (w FaultPlan) fault(address string, nth int) (Fault, *rand.Rand) {
	h := fnv.New64a()
	fmt.Fprint(h, address, nth/max(1, w.Burst))
	luck := rand.New(rand.NewPCG(w.Seed, h.Sum64()))
	if len(w.Faults) == 0 || luck.Float64() >= w.Rate {
		return Whole, nil
	}
	f := w.Faults[luck.IntN(len(w.Faults))]
	fmt.Fprint(h, nth)
	return f, rand.New(rand.NewPCG(w.Seed, h.Sum64()))
}
