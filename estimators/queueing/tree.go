package queueing

// An Operator joins the parts of a precedence tree (§2.3, after D.-R. Liang and S. K. Tripathi, "On Performance
// Prediction of Parallel Computations with Precedent Constraints", IEEE TPDS 11, 2000).
type Operator int

// The operators. A leaf has none: it is tasks of one class.
const (
	Leaf              Operator = iota
	Serial                     // S: one part after the other
	ParallelAnd                // P_A: all at once, done with the last
	ParallelOr                 // P_O: all at once, done with the first
	ProbabilisticFork          // P_F: one of them, by chance
)

// String is its symbol.
func (o Operator) String() string { return [...]string{"task", "S", "P_A", "P_O", "P_F"}[o] }

// A Tree is a job's precedence tree: which tasks follow one another and which run side by side.
type Tree struct {
	Op    Operator
	Parts []*Tree   // of an operator, at least one
	Prob  []float64 // of P_F: the chance of each part; they add up to 1
	// Kind and Tasks of a leaf: that many equal tasks, one after the other.
	Kind  Kind
	Tasks int
	// Count is how many like trees it stands for: side by side in a ParallelAnd or ParallelOr, one after the other in a
	// Serial.
	Count int
	// Mean and Variance of its duration, in seconds and seconds², of parts that are taken as independent.
	Mean, Variance float64
}
