package ernest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMemoryCliff: two machines cannot hold more than half of the input and take 2 to 8 times as long for it. Errors
// relative to the times keep these few long runs from bending the model of all others.
func TestMemoryCliff(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	given, off := 0, 0
	for range 40 {
		cliff, start, work := 2+6*random.Float64(), 5+20*random.Float64(), 200+400*random.Float64()
		law := func(machines, scale float64) float64 {
			v := start + work*scale/machines + 0.1*machines
			if scale/machines > 0.3 {
				v *= cliff
			}
			return v
		}
		var rows []Row
		for _, machines := range []float64{2, 4, 8, 10, 12} {
			for _, scale := range []float64{0.25, 0.5, 0.75, 1} {
				rows = append(rows, Row{
					Machines: machines, Scale: scale,
					Seconds: law(machines, scale) * math.Exp(0.03*random.NormFloat64()),
				})
			}
		}
		m := must(t, rows, FitOptions{})
		if !m.Relative || !slices.Contains(codes(m.Warnings), "relative_errors") {
			t.Errorf("a cliff of %.1f: the model has absolute errors, %.2f in the mean", cliff, m.LOO)
		}
		for _, at := range []Point{{6, 0.75, 0}, {6, 1, 0}, {20, 1, 0}} {
			if p := m.Predict(at); p.Refused == nil {
				given++
				if math.Abs(p.Seconds/law(at.Machines, at.Scale)-1) > DefaultRefuseAbove {
					off++
				}
			}
		}
	}
	t.Logf("%d of %d given numbers are more than 20%% off", off, given)
	if given < 100 || off > given/20 {
		t.Errorf("%d of %d given numbers are more than 20%% off", off, given)
	}
}
