package queueing

// A Spec is a cluster of equal nodes and the jobs that share it (§3.1, Table 1). Each node has its CPUs, its disks and
// one fibre channel; the nodes share one network.
type Spec struct {
	Nodes          int   `json:"nodes"`
	CPUs           int   `json:"cpus"`            // of a node
	Disks          int   `json:"disks"`           // of a node (§4.1); 0 is 1
	MapSlots       int   `json:"map_slots"`       // p_m: maps that a node runs at once
	ReduceSlots    int   `json:"reduce_slots"`    // reduces that a node runs at once; 0 is 1
	ShuffleThreads int   `json:"shuffle_threads"` // p_s: map outputs that a reduce takes at once
	Jobs           []Job `json:"-"`
}

// A Job is one class of MapReduce jobs, of which Copies run in the closed system at once.
type Job struct {
	Name   string
	Copies int // N of eq. 6
	Maps   int
	// Reduces is how many reduces it has; 0 for a job of maps alone.
	Reduces int
	Map     Demand // of a map task
	Shuffle Demand // of the shuffle and sort of one map's output by one reduce
	Merge   Demand // of a reduce's merge and reduce function
}

// A Demand is the service that a task asks of each kind of centre, in seconds (Table 2).
type Demand struct {
	CPU, Fibre, Disk, Network float64
}

// Total is the demand at all centres: how long the task takes alone.
func (d Demand) Total() float64 { return d.CPU + d.Fibre + d.Disk + d.Network }

// servers is how many servers a centre of each kind has. A task is served by one of them at a time.
func (s *Spec) servers() [4]int {
	return [4]int{CPU: s.CPUs, Fibre: 1, Disk: max(s.Disks, 1), Network: 1}
}
