package queueing

import (
	"math"
	"strings"
	"testing"
)

var configurations = [][2]int{{1, 1}, {1, 5}, {4, 1}, {4, 5}}

// The default model stays within 15% of an independent processor-sharing simulation of the same demands
// (facts/queueing.md e.4).
func TestProductAgainstSimulation(t *testing.T) {
	for i, simulated := range []float64{590.7, 580.5, 447.6, 385.3} {
		s, ok := measuredJob(configurations[i][0], configurations[i][1])
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

// Two slots end a map every half of a map's time, and each reduce takes it at once. Two joins follow: of the last two
// maps, H_2 times 10 s, and of the two merges, H_2 times 5 s, of which the longer delay counts.
func TestJoined(t *testing.T) {
	t.Parallel()
	spec := func() *Spec {
		return &Spec{
			Nodes: 2, CPUs: 4, MapSlots: 1, ShuffleThreads: 1,
			Jobs: []Job{{
				Name: "j", Copies: 1, Maps: 4, Reduces: 2, Map: Demand{CPU: 10}, Shuffle: Demand{CPU: 1},
				Merge: Demand{CPU: 5},
			}},
		}
	}
	alone, long := spec(), spec()
	alone.Jobs[0].Reduces = 0
	long.Jobs[0].Merge.CPU = 50
	for _, c := range []struct {
		name     string
		s        *Spec
		response float64
		tree     string
	}{
		{"short merges", spec(), 20 + 1 + 5 + 5, "S(P_A(map*2 x2) P_A(S(shuffle merge) x2))"},
		{"long merges", long, 20 + 1 + 50 + 25, "S(P_A(map*2 x2) P_A(S(shuffle merge) x2))"},
		{"maps alone", alone, 20 + 5, "P_A(map*2 x2)"},
	} {
		r, err := Solve(c.s, ViannaForkJoin, Options{})
		if err != nil {
			t.Fatal(err)
		}
		j := &r.Jobs[0]
		if math.Abs(j.Response-c.response) > 1e-6 {
			t.Errorf("%s: %.6f s, want %v", c.name, j.Response, c.response)
		}
		d := newDetail(c.s, pipelined)
		iterate(Options{Tolerance: 1e-9, MaxIterations: 500}, d.step)
		maps := d.jobs[0].line.maps
		for i, end := range []float64{15, 20} {
			if p := maps[len(maps)-2+i]; len(maps) != 4 || p.thread != i || math.Abs(p.end-end) > 1e-6 {
				t.Errorf("%s: the last map of slot %d: %+v, want an end at %v", c.name, i, p, end)
			}
		}
		var b strings.Builder
		draw(&b, j.Tree)
		if b.String() != c.tree {
			t.Errorf("%s: tree %s, want %s", c.name, b.String(), c.tree)
		}
		higher, err := Solve(c.s, Tripathi, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if higher.Response() < float64(j.Span) {
			t.Errorf("%s: the tree gives %.1f s, the timeline alone %.1f s", c.name, higher.Response(), j.Span)
		}
	}
}

// H_k of a few and of very many.
func TestHarmonic(t *testing.T) {
	t.Parallel()
	for k, want := range map[int]float64{
		1: 1, 2: 1.5, 4: 25. / 12, 16: 3.380728993228993, 100: 5.187377517639621,
		101: 5.197278507738631, 1_000_000: 14.392726722865724,
	} {
		if got := harmonic(k); math.Abs(got-want) > 1e-12*want {
			t.Errorf("H_%d is %v, want %v", k, got, want)
		}
	}
}

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
			s, _ := measuredJob(at[0], at[1])
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
