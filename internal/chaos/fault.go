package chaos

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// A Fault is one way in which an answer goes wrong.
type Fault int

// The faults. Of all but Whole, Doubled, Stale, Reordered and Redated nothing can be learned.
const (
	Whole       Fault = iota // nothing is wrong
	ServerError              // 500, 502 or 503 with a page
	TooMany                  // 429 with Retry-After
	Redirect                 // 302 or 307 to nowhere, to itself, to a stranger, in another scheme
	Reset                    // the connection is cut before the header
	Hang                     // no header comes
	Drip                     // half of the body comes, then nothing more, and no end
	Broken                   // the body ends before its Content-Length
	Cut                      // the body ends early and looks complete: at any byte
	CutToken                 // the same, between two tokens of the JSON
	PackedCut                // a gzip stream that ends early
	PackedWrong              // a gzip stream whose checksum is wrong
	Page                     // a web page with status 200
	Empty                    // nothing, with status 200
	Hollow                   // {} or null, with status 200
	Garbage                  // bytes that are no JSON
	WrongType                // the right body, called something else
	Huge                     // a body without an end
	Doubled                  // headers twice, the second time different
	Stale                    // an earlier answer of the same address
	Reordered                // the one before, as when two answers overtake each other
	Redated                  // an earlier answer by a cache that says it is of now
	faults
)

var names = [faults]string{
	"whole", "server error", "too many", "redirect", "reset", "hang", "drip", "broken", "cut", "cut at a token",
	"packed, cut", "packed, wrong",
	"page", "empty", "hollow", "garbage", "wrong type", "huge", "doubled headers", "stale", "reordered", "redated",
}

// Faults are all of them, Whole left out.
func Faults() []Fault {
	all := make([]Fault, 0, faults-1)
	for f := Whole + 1; f < faults; f++ {
		all = append(all, f)
	}
	return all
}

func (f Fault) String() string { return names[f] }

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
