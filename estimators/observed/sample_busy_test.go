package observed

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// The profile of one run says little of the load that the next one meets. Before this run has launched anything its 80 % range is wide; the first
// launch tells much of it.
func TestRangeKnowsOfOtherLoad(t *testing.T) {
	profile := Learn(runOf(finished(25)))
	width := func(s *dag.Snapshot) float64 {
		t.Helper()
		got, err := estimators.New(estimators.Sampled(), Costs, estimators.Options{}).Estimate(runOf(Attach(s, []*dag.Plan{profile})))
		if err != nil || len(got.Distribution) == 0 {
			t.Fatalf("no distribution: %v", err)
		}
		return float64(got.Distribution.At(0.9)) / float64(got.Distribution.At(0.1))
	}
	before := group(4000, 25, 600)
	before.Jobs[0].Map.Attempts, before.Jobs[0].HeldMB = nil, 512
	if w := width(before); w < 1.8 {
		t.Errorf("before the first launch nine of ten ends lie within %.2f times the first one of ten; recordings differ by 2 to 3", w)
	}
	if w, was := width(group(20_000, 25, 600)), width(before); w > 0.8*was {
		t.Errorf("the range is %.2f wide before the launch and %.2f after %v", was, w, 20*time.Second)
	}
}
