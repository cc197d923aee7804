package chaos

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// A Fault is one way to corrupt a response.
type Fault int

// The faults. Only Whole, Doubled, Stale, Reordered and Redated leave a usable response.
const (
	Whole       Fault = iota // no fault
	ServerError              // 500, 502 or 503 with a page
	TooMany                  // 429 with Retry-After
	Redirect                 // 302 or 307 to nowhere, to itself, to another host, or to another scheme
	Reset                    // the connection is cut before the header
	Hang                     // no header arrives
	Drip                     // a part of the body arrives, then nothing more, and no end
	Broken                   // the body ends before its Content-Length
	Cut                      // the body ends early and looks complete: at any byte
	CutToken                 // the same, between two tokens of the JSON
	PackedCut                // a gzip stream that ends early
	PackedWrong              // a gzip stream with a wrong checksum
	Page                     // a web page with status 200
	Empty                    // an empty body with status 200
	Hollow                   // {}, null or the like, with status 200
	Garbage                  // bytes that are not JSON
	WrongType                // the right body with a wrong Content-Type
	Huge                     // a body without an end
	Doubled                  // headers twice, with different values
	Stale                    // an earlier response of the same address
	Reordered                // the previous response, as if two responses overtook each other
	Redated                  // an earlier response from a cache that sends the current date
	faults
)

var names = [faults]string{
	"whole", "server error", "too many", "redirect", "reset", "hang", "drip", "broken", "cut", "cut at a token",
	"packed, cut", "packed, wrong",
	"page", "empty", "hollow", "garbage", "wrong type", "huge", "doubled headers", "stale", "reordered", "redated",
}

// Faults returns all faults except Whole.
func Faults() []Fault {
	all := make([]Fault, 0, faults-1)
	for f := Whole + 1; f < faults; f++ {
		all = append(all, f)
	}
	return all
}

func (f Fault) String() string { return names[f] }

// A FaultPlan sets the kinds and the frequency of faults. The same plan gives the same faults.
type FaultPlan struct {
	Seed   uint64
	Rate   float64 // share of the responses that are corrupted, 0..1
	Faults []Fault // kinds of faults to use
	// Burst is the number of consecutive requests to one address with the same luck, so that faults come in bursts.
	Burst int
}

// Of returns the fault plan of a seed. Rates go from rare faults in long bursts to every second response; kinds of
// faults are one, three, or all.
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
	return fmt.Sprintf("%.0f%% of the answers, %d in a row: %s", 100*w.Rate, w.Burst, strings.Join(all, ", "))
}

// fault returns the fault of the nth response of an address, and a random source for its details. It does not depend
// on the order of requests to different addresses.
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
