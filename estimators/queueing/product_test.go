package queueing

import "testing"

var configurations = [][2]int{{1, 1}, {1, 5}, {4, 1}, {4, 5}}

// The default model stays within 15% of an independent processor-sharing simulation of the same demands
// (docs/facts/queueing.md e.4).
func TestProductAgainstSimulation(t *testing.T) {
	for i, simulated := range []float64{590.7, 580.5, 447.6, 385.3} {
		s, ok := Published(configurations[i][0], configurations[i][1])
		if !ok {
			t.Fatalf("%v is not there", configurations[i])
		}
		r, err := Solve(s, Product, Options{})
		if err != nil {
			t.Fatal(err)
		}
		off := r.Response()/simulated - 1
		t.Logf("%v: %.1f s, simulated %.1f s, %+.1f%% off", configurations[i], r.Response(), simulated, 100*off)
		if !(off > -.15 && off < .15) || !r.Converged {
			t.Errorf("%v: %+.1f%% off after %+v", configurations[i], 100*off, r.Fixpoint)
		}
	}
}
