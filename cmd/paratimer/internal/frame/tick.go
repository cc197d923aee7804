package frame

import "github.com/paratimer/paratimer/dag"

// A Tick is one observation of a query and all results from it.
type Tick struct {
	// Snapshot is the observation; nil if it was missed, and Frame repeats the last one.
	Snapshot *dag.Snapshot
	// Run is everything observed of the query so far, including Snapshot.
	Run dag.Run
	// Answers are the estimates for Frame, of all scenarios; none if the observation was missed.
	Answers Answers
	Frame   Frame
}
