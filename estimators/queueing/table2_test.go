package queueing

import (
	"math"
	"testing"
)

// The demands are those that Table 2 prints, digit by digit: CPU, fibre, disk and network of a map, a shuffle and a
// merge.
func TestTable2(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		measured, simulated int // p_s of the real setup and of the simulation
		mapSlots            int
		want                [3]Demand
	}{
		{1, 1, 1, [3]Demand{{5.0764, .0677, 3.1844, 0}, {.5217, .0087, .4082, .1850}, {37.4983, 1.2583, 59.2157, 0}}},
		{5, 4, 1, [3]Demand{{5.1360, .0677, 3.1847, 0}, {2.9440, .0425, 2.0000, .9067}, {20.4000, 1.2580, 59.2160, 0}}},
		{1, 1, 4, [3]Demand{{5.1057, .0677, 3.1844, 0}, {.6608, .0087, .4082, .1850}, {47.2580, 1.2580, 59.2157, 0}}},
		{5, 4, 4, [3]Demand{{5.0764, .0677, 3.1844, 0}, {2.5563, .0425, 2.0000, .9067}, {38.4020, 1.2580, 59.2160, 0}}},
	} {
		real, ok := Published(c.mapSlots, c.measured)
		if !ok {
			t.Fatalf("(%d,%d) is not there", c.mapSlots, c.measured)
		}
		for _, s := range []*Spec{real, PublishedSimulation(4, 64, c.mapSlots, c.simulated)} {
			j := s.Jobs[0]
			group := j.Shuffle.Times(float64(s.ShuffleThreads))
			for i, got := range []Demand{j.Map, group, j.Merge} {
				for k, x := range got.vector() {
					if math.Abs(x-c.want[i].vector()[k]) > 1e-12 {
						t.Errorf("p_m %d, p_s %d: %v is %v, printed %v", s.MapSlots, s.ShuffleThreads, Kind(i), got,
							c.want[i])
						break
					}
				}
			}
		}
	}
}

// Between and beyond what was measured a factor of four has the same effect each time, and no demand falls below
// nothing.
func TestExtrapolatedDemands(t *testing.T) {
	t.Parallel()
	cpu := func(mapSlots, threads int) float64 {
		return PublishedSimulation(4, 128, mapSlots, threads).Jobs[0].Merge.CPU
	}
	for _, r := range [][2]float64{
		{cpu(4, 4) / cpu(1, 4), cpu(16, 4) / cpu(4, 4)},
		{cpu(4, 4) / cpu(4, 1), cpu(4, 16) / cpu(4, 4)},
		{cpu(2, 4) / cpu(1, 4), cpu(4, 4) / cpu(2, 4)},
	} {
		if !(r[0] > 0) || math.Abs(r[0]-r[1]) > 1e-12 {
			t.Errorf("factors of %v and %v", r[0], r[1])
		}
	}
	for _, c := range [][2]int{{0, 1}, {1, 0}, {-1, 4}} {
		if err := PublishedSimulation(4, 128, c[0], c[1]).Validate(); err == nil {
			t.Errorf("p_m %d and p_s %d are taken", c[0], c[1])
		}
	}
}
