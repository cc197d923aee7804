package queueing

import "math"

// measuredJob returns the job that the paper measures on Hadoop Online (Table 3, real setup): 150 maps and 3 reduces on
// three nodes of four CPUs and a disk. As in Table 4, p_m is 1 or 4 maps a node and p_s is 1 or 5 shuffles a reduce.
// Other values return false.
//
// The demands are those of Table 2. Its rows for p_s above 1 describe a group of shuffles, with 4.9 times the disk,
// fibre and network demand of one shuffle. A reduce of this setup copies five outputs at once, so one shuffle has a
// fifth of that demand.
func measuredJob(mapSlots, shuffleThreads int) (*Spec, bool) {
	if mapSlots != 1 && mapSlots != 4 || shuffleThreads != 1 && shuffleThreads != 5 {
		return nil, false
	}
	return fromTable2(3, 150, mapSlots, shuffleThreads, math.Min(4, float64(shuffleThreads))), true
}

// simulatedJob returns the job that the paper simulates (Table 3, simulation; Fig. 7 to 9): the given maps,
// and one reduce for each node, on nodes of four CPUs and a disk. Fig. 7 and 8 have 4 nodes, 4 to 256 maps, and p_m
// and p_s of 1 or 4.
//
// A task's demands are those printed in Table 2 for any number of maps. For other p_m and p_s the paper extrapolates
// them "by the proportion seen between the two measured values": here by the same factor for each factor of four. A
// straight line would give merges a negative demand at p_s 16. A row's demand is that of a group of p_s shuffles;
// each shuffle has an equal share.
func simulatedJob(nodes, maps, mapSlots, shuffleThreads int) *Spec {
	return fromTable2(nodes, maps, mapSlots, shuffleThreads, float64(shuffleThreads))
}

// printed is Table 2: the mean service demands of a map, a shuffle and a merge, by p_m and p_s of 1 and 4.
var printed = [2][2][3]vector{
	{
		{{5.0764, .0677, 3.1844, 0}, {.5217, .0087, .4082, .1850}, {37.4983, 1.2583, 59.2157, 0}},
		{{5.1360, .0677, 3.1847, 0}, {2.9440, .0425, 2.0000, .9067}, {20.4000, 1.2580, 59.2160, 0}},
	},
	{
		{{5.1057, .0677, 3.1844, 0}, {.6608, .0087, .4082, .1850}, {47.2580, 1.2580, 59.2157, 0}},
		{{5.0764, .0677, 3.1844, 0}, {2.5563, .0425, 2.0000, .9067}, {38.4020, 1.2580, 59.2160, 0}},
	},
}

// fromTable2 returns a job with the demands of Table 2 for p_m and p_s of 1 and 4, and extrapolated ones for others. A
// row's shuffles are threads ones.
func fromTable2(nodes, maps, mapSlots, shuffleThreads int, threads float64) *Spec {
	slots, shuffles := math.Log(float64(mapSlots))/math.Log(4), math.Log(threads)/math.Log(4)
	var row [3]Demand
	for i := range row {
		var v vector
		for k := range v {
			one := towards(printed[0][0][i][k], printed[1][0][i][k], slots)
			four := towards(printed[0][1][i][k], printed[1][1][i][k], slots)
			v[k] = towards(one, four, shuffles)
		}
		row[i] = v.over(1)
	}
	return &Spec{
		Nodes: nodes, CPUs: 4, MapSlots: mapSlots, ShuffleThreads: shuffleThreads, ReduceSlots: 1,
		Jobs: []Job{{
			Name: "job", Copies: 1, Maps: maps, Reduces: nodes, Map: row[Map],
			Shuffle: row[Shuffle].Times(1 / float64(shuffleThreads)), Merge: row[Merge],
		}},
	}
}

// towards moves a value towards another one; one step is the whole factor between the two.
func towards(from, to, steps float64) float64 {
	switch {
	case steps == 0 || from == 0:
		return from
	case steps == 1: // the printed digits, not a rounding of them
		return to
	}
	return from * math.Pow(to/from, steps)
}
