package simulation

// A Result is what the runs of a simulation have in common. Seconds, but for utilisations.
type Result struct {
	Runs int
	Jobs []Job // as in the Spec
	// Makespan is when the last job ended, in the mean over runs.
	Makespan Mean
	// Utilisation of each kind of centre: the share of the time that its servers are busy, over all nodes and runs,
	// each until its last job ends.
	CPU, Fibre, Disk, Network float64
}

// A Job is the mean over a job's copies and the runs.
type Job struct {
	Name     string
	Response Mean // from submission to the end of the last task
	// Residence of one task at its centres, waiting for them included: in the mean over tasks, and over runs. Zero
	// where the job has no such tasks. A shuffle is one map's output for one reduce, or a group of them where they are
	// grouped.
	Map, Shuffle, Merge Mean
	// LastMap and LastShuffle are when the last map and the last shuffle of a copy end, counted from its submission.
	LastMap, LastShuffle Mean
}

// A Mean over runs has the standard error by which it may be off, NaN for a single run.
type Mean struct {
	Value, StandardError float64
}
