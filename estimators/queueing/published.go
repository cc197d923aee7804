package queueing

// Published is the job that the paper measures on Hadoop Online: 150 maps and 3 reduces on three nodes of four CPUs, with p_m
// maps a node and p_s shuffles a reduce, each 1 or 5 (4 for p_m), as Table 4 has them.
//
// Table 2's demands are known in part. Printed are the fibre and disk demands, those of the network, and the CPU of (4,1); the
// CPU demands of the others, and the disk of a map at (1,5), are solved for: they are the ones with which utilisations and
// residences of an independent prototype come out. A group of five shuffles was measured for p_s 5, of which this is a fifth.
func Published(mapSlots, shuffleThreads int) (*Spec, bool) {
	m := Demand{CPU: 5.0764, Fibre: .0677, Disk: 3.1844}
	one := Demand{CPU: .5217, Fibre: .0087, Disk: .4082, Network: .185}
	five := Demand{CPU: 2.9440 / 5, Fibre: .0425 / 5, Disk: 2.0 / 5, Network: .9065 / 5}
	merge := Demand{Fibre: 1.258, Disk: 59.2157}
	shuffle := one
	switch [2]int{mapSlots, shuffleThreads} {
	case [2]int{1, 1}:
		merge.CPU = 37.4986
	case [2]int{1, 5}:
		m.CPU, m.Disk = 5.1360, 3.1847
		shuffle = five
		merge.CPU = 20.4003
	case [2]int{4, 1}:
		m.CPU, shuffle.CPU, merge.CPU = 5.1057, .6608, 47.258
	case [2]int{4, 5}:
		shuffle = five
		shuffle.CPU = 2.5563 / 5
		merge.CPU = 38.4023
	default:
		return nil, false
	}
	return &Spec{
		Nodes: 3, CPUs: 4, MapSlots: mapSlots, ShuffleThreads: shuffleThreads, ReduceSlots: 1,
		Jobs: []Job{{Name: "job", Copies: 1, Maps: 150, Reduces: 3, Map: m, Shuffle: shuffle, Merge: merge}},
	}, true
}
