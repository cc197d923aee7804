package observed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

var oddNumbers = [...]float64{0, -1, 1e-300, 1, 600, 1e300, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}

// oddGroup is a group whose counters, instants and states are whatever a broken cluster may say.
func oddGroup(r *rand.Rand, policy dag.Policy) *dag.Snapshot {
	s := group(14_000, 25, 600)
	s.Plan.Cluster.Policy, s.Plan.Cluster.MapSlots, s.Plan.Cluster.ReduceSlots = policy, 1+r.IntN(9), 1+r.IntN(4)
	number := func() float64 { return oddNumbers[r.IntN(len(oddNumbers))] }
	at := func() dag.Instant {
		return [...]dag.Instant{dag.NoInstant, 0, 5000, 13_999, 14_000, 90_000, math.MaxInt32 * 1000}[r.IntN(7)]
	}
	odd := func(a *dag.Attempt) {
		for range 1 + r.IntN(4) {
			switch r.IntN(7) {
			case 0:
				a.Done[r.IntN(3)] = number()
			case 1:
				a.Total[r.IntN(3)] = number()
			case 2:
				a.Out, a.Bytes, a.Ratio = number(), number(), number()
			case 3:
				a.Start, a.End = at(), at()
			case 4:
				a.State = dag.AttemptState(r.IntN(5))
			case 5:
				a.First, a.Last = dag.Mark{At: at(), Done: number(), Out: number()}, dag.Mark{
					At: at(), Done: number(),
					Out: number(),
				}
			case 6:
				a.CopyEnd, a.SortEnd = at(), at()
			}
		}
	}
	js := &s.Jobs[0]
	for i := range int32(r.IntN(4)) {
		a := js.Stages[dag.Map].Attempts[i]
		a.Task = i
		js.Stages[dag.Reduce].Attempts = append(js.Stages[dag.Reduce].Attempts, a)
	}
	for _, p := range []*dag.StageState{&js.Stages[dag.Map], &js.Stages[dag.Reduce]} {
		for i := range p.Attempts {
			if r.IntN(2) == 0 {
				odd(&p.Attempts[i])
			}
		}
	}
	return s
}

// Hostile counters give a distribution, or none: no panic, no time below nothing, none without bounds, and the same
// each time.
func TestOddGroupsHaveSoundRanges(t *testing.T) {
	model := func(run dag.Run) estimators.Costs { return New(run, Options{}).Costs() }
	some := 0
	for seed := range uint64(1200) {
		s := oddGroup(rand.New(rand.NewPCG(seed, 8)), dag.Policy(seed%2))
		e := estimators.New(estimators.Sampled(), model, estimators.Options{Samples: 32})
		got, err := e.Estimate(runOf(s))
		if err != nil || len(got.Distribution) == 0 {
			continue
		}
		some++
		d := got.Distribution
		if !slices.IsSorted(d) || d[0] < 0 || d[len(d)-1] > dag.MaxLength {
			t.Fatalf("seed %d: %v", seed, d)
		}
		if again, err := e.Estimate(runOf(s)); err != nil || !slices.Equal(again.Distribution, d) {
			t.Fatalf("seed %d: a second look differs: %v", seed, err)
		}
	}
	if some < 400 {
		t.Errorf("%d distributions only", some)
	}
}
