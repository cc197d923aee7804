package queueing

import (
	"math"
	"testing"
)

// Jobs unlike the published one, simulated by the package simulation with seed 0 in 60 runs, whose standard errors are
// up to 3%.
func TestProductElsewhere(t *testing.T) {
	for _, c := range []struct {
		name      string
		change    func(s *Spec)
		simulated [2]float64 // with the demands of (1,1) and of (4,5)
	}{
		{"maps alone", func(s *Spec) { s.Jobs[0].Reduces = 0 }, [2]float64{427.6, 184.6}},
		{"maps alone, 8 slots", func(s *Spec) { s.Jobs[0].Reduces, s.MapSlots = 0, 8 }, [2]float64{176.0, 176.0}},
		{"one reduce", func(s *Spec) { s.Jobs[0].Reduces = 1 }, [2]float64{518.0, 290.0}},
		{"three waves of reduces", func(s *Spec) { s.Jobs[0].Reduces = 9 }, [2]float64{1132.4, 705.0}},
		{
			"two reduces a node at once", func(s *Spec) { s.Jobs[0].Reduces, s.ReduceSlots = 10, 2 },
			[2]float64{924.2, 673.3},
		},
		{
			"four reduces a node at once", func(s *Spec) { s.Nodes, s.Jobs[0].Reduces, s.ReduceSlots = 2, 8, 4 },
			[2]float64{1036.0, 803.7},
		},
		{"one CPU", func(s *Spec) { s.CPUs, s.MapSlots = 1, 4 }, [2]float64{527.9, 504.6}},
		{
			"CPUs the bottleneck", func(s *Spec) { s.CPUs, s.MapSlots, s.Jobs[0].Map.CPU = 2, 4, 20 },
			[2]float64{734.8, 734.2},
		},
		{"the network the bottleneck", func(s *Spec) {
			s.Jobs[0].Shuffle.Network, s.Nodes, s.Jobs[0].Reduces = 1, 6,
				6
		}, [2]float64{932.1, 938.5}},
		{"maps read through the network", func(s *Spec) { s.Jobs[0].Map.Network = 2 }, [2]float64{735.4, 499.4}},
		{"fewer maps than slots", func(s *Spec) { s.Jobs[0].Maps, s.Jobs[0].Reduces = 7, 2 }, [2]float64{179.1, 175.2}},
	} {
		for i, at := range [][2]int{{1, 1}, {4, 5}} {
			s, _ := Published(at[0], at[1])
			c.change(s)
			r, err := Solve(s, Product, Options{})
			if err != nil {
				t.Fatal(err)
			}
			off := r.Response()/c.simulated[i] - 1
			t.Logf("%s, demands of %v: %.1f s, simulated %.1f s, %+.1f%% off", c.name, at, r.Response(),
				c.simulated[i], 100*off)
			if !(math.Abs(off) <= .25) || !r.Converged {
				t.Errorf("%s, demands of %v: %+.1f%% off, %+v", c.name, at, 100*off, r.Fixpoint)
			}
		}
	}
}
