package simulation

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// Nodes with several disks (§4.1): the models are as near to the simulation as with one, and more disks help where
// disks are short.
func TestDisks(t *testing.T) {
	t.Parallel()
	for _, slots := range []int{2, 4, 8} {
		before := math.Inf(1)
		for _, disks := range []int{1, 2, 4} {
			s := queueing.PublishedSimulation(4, 128, slots, 1)
			s.Disks = disks
			r, err := Simulate(s, Options{Runs: 200})
			if err != nil {
				t.Fatal(err)
			}
			truth, standardError := r.Jobs[0].Response, float64(r.Jobs[0].StandardError)
			if truth > before+3*standardError {
				t.Errorf("p_m %d, %d disks: %.1f s, with fewer %.1f s", slots, disks, truth, before)
			}
			before = truth
			for m, within := range map[queueing.Model][2]float64{
				queueing.Product:        {-.13, .13},
				queueing.ViannaForkJoin: {-.03, .20},
			} {
				a, err := queueing.Solve(s, m, queueing.Options{})
				if err != nil {
					t.Fatal(err)
				}
				off := a.Response()/truth - 1
				t.Logf("p_m %d, %d disks, %v: %.1f s, simulated %.1f ± %.1f, %+.1f%%", slots, disks, m, a.Response(),
					truth, standardError, 100*off)
				if off < within[0] || off > within[1] {
					t.Errorf("p_m %d, %d disks, %v: %+.1f%% off", slots, disks, m, 100*off)
				}
				for _, c := range a.Centres {
					if want := map[queueing.CentreKind]int{queueing.CPU: 4, queueing.Disk: disks}[c.Kind]; want > 0 &&
						c.Servers != want {
						t.Errorf("%v of %d servers, want %d", c.Kind, c.Servers, want)
					}
				}
			}
			work := 128*(s.Jobs[0].Map.Disk+4*s.Jobs[0].Shuffle.Disk) + 4*s.Jobs[0].Merge.Disk
			if want := work / float64(4*disks) / truth; math.Abs(busy(r, queueing.Disk)/want-1) > .05 {
				t.Errorf("p_m %d, %d disks are busy for %.3f, asked for %.3f", slots, disks, busy(r, queueing.Disk), want)
			}
		}
	}
}
