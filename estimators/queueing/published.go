package queueing

import "math"

// Published returns the job that the paper measures on Hadoop Online (Table 3, real setup): 150 maps and 3 reduces on
// three nodes of four CPUs and a disk. As in Table 4, p_m is 1 or 4 maps a node and p_s is 1 or 5 shuffles a reduce.
// Other values return false.
//
// The demands are those of Table 2. Its rows for p_s above 1 describe a group of shuffles, with 4.9 times the disk,
// fibre and network demand of one shuffle. A reduce of this setup copies five outputs at once, so one shuffle has a
// fifth of that demand.
func Published(mapSlots, shuffleThreads int) (*Spec, bool) {
	if mapSlots != 1 && mapSlots != 4 || shuffleThreads != 1 && shuffleThreads != 5 {
		return nil, false
	}
	row := table2(float64(mapSlots), math.Min(4, float64(shuffleThreads)))
	row.shuffle = row.shuffle.Times(1 / float64(shuffleThreads))
	return row.spec(3, 150, mapSlots, shuffleThreads), true
}

// PublishedSimulation returns the job that the paper simulates (Table 3, simulation; Fig. 7 to 9): the given maps,
// and one reduce for each node, on nodes of four CPUs and a disk. Fig. 7 and 8 have 4 nodes, 4 to 256 maps, and p_m
// and p_s of 1 or 4.
//
// A task's demands are those printed in Table 2 for any number of maps. For other p_m and p_s the paper extrapolates
// them "by the proportion seen between the two measured values": here by the same factor for each factor of four. A
// straight line would give merges a negative demand at p_s 16. A row's demand is that of a group of p_s shuffles;
// each shuffle has an equal share.
func PublishedSimulation(nodes, maps, mapSlots, shuffleThreads int) *Spec {
	row := table2(float64(mapSlots), float64(shuffleThreads))
	row.shuffle = row.shuffle.Times(1 / float64(shuffleThreads))
	return row.spec(nodes, maps, mapSlots, shuffleThreads)
}

// A demandRow is three rows of Table 2: the mean service demands for one p_m and p_s.
type demandRow struct{ mapTask, shuffle, merge Demand }

// printed is Table 2, indexed by p_m and p_s of 1 and 4.
var printed = [2][2]demandRow{
	{
		{Demand{5.0764, .0677, 3.1844, 0}, Demand{.5217, .0087, .4082, .1850}, Demand{37.4983, 1.2583, 59.2157, 0}},
		{Demand{5.1360, .0677, 3.1847, 0}, Demand{2.9440, .0425, 2.0000, .9067}, Demand{20.4000, 1.2580, 59.2160, 0}},
	},
	{
		{Demand{5.1057, .0677, 3.1844, 0}, Demand{.6608, .0087, .4082, .1850}, Demand{47.2580, 1.2580, 59.2157, 0}},
		{Demand{5.0764, .0677, 3.1844, 0}, Demand{2.5563, .0425, 2.0000, .9067}, Demand{38.4020, 1.2580, 59.2160, 0}},
	},
}

// table2 returns the row of Table 2 for 1 and 4, and extrapolated values for others.
func table2(mapSlots, shuffleThreads float64) demandRow {
	maps, shuffles := math.Log(mapSlots)/math.Log(4), math.Log(shuffleThreads)/math.Log(4)
	return printed[0][0].towards(printed[1][0], maps).towards(printed[0][1].towards(printed[1][1], maps), shuffles)
}

// towards moves a row towards another row; one step is the whole factor between the two.
func (r demandRow) towards(o demandRow, steps float64) demandRow {
	return demandRow{
		r.mapTask.towards(o.mapTask, steps), r.shuffle.towards(o.shuffle, steps),
		r.merge.towards(o.merge, steps),
	}
}

func (d Demand) towards(o Demand, steps float64) Demand {
	by := func(from, to float64) float64 {
		switch {
		case steps == 0 || from == 0:
			return from
		case steps == 1: // the printed digits, not a rounding of them
			return to
		}
		return from * math.Pow(to/from, steps)
	}
	return Demand{by(d.CPU, o.CPU), by(d.Fibre, o.Fibre), by(d.Disk, o.Disk), by(d.Network, o.Network)}
}

func (r demandRow) spec(nodes, maps, mapSlots, shuffleThreads int) *Spec {
	return &Spec{
		Nodes: nodes, CPUs: 4, MapSlots: mapSlots, ShuffleThreads: shuffleThreads, ReduceSlots: 1,
		Jobs: []Job{{
			Name: "job", Copies: 1, Maps: maps, Reduces: nodes, Map: r.mapTask, Shuffle: r.shuffle,
			Merge: r.merge,
		}},
	}
}
