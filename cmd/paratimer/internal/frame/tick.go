package frame

import "github.com/paratimer/paratimer/dag"

// A Tick is one observation of a query and all that follows from it.
type Tick struct {
	// Snapshot is what was observed; nil if the observation was missed, and Frame repeats the last one.
	Snapshot *dag.Snapshot
	// Run is what has been seen of the query so far, Snapshot included.
	Run dag.Run
	// Answers are what Frame is made from, all scenarios included; none if the observation was missed.
	Answers Answers
	Frame   Frame
}
