package collect

// Limits bound a store. Bytes are as counted by this package: the process takes up to twice as much for a moment, while
// profiles of map outputs are joined and batches are read.
type Limits struct {
	Bytes   int // of all that is held
	Orphans int // of these, of jobs that no snapshot knows yet
	Points  int // of what one attempt of a reduce has done, before they are condensed
}

// DefaultLimits are enough for 1,000 maps of 2,000 keys whose jobs still map, and 500 reduces of 2,000 points.
func DefaultLimits() Limits { return Limits{Bytes: 256 << 20, Orphans: 32 << 20, Points: 4096} }

// What things cost, in bytes: the structures, their slots in maps and the allocator's rounding.
const (
	jobCost     = 1 << 10
	profileCost = 192
	keyCost     = 40 // and the name
	cellCost    = 8  // bytes for one reduce
	attemptCost = 320
	lateCost    = 8 * maxLate
	pointCost   = 56
)

const (
	// maxAttempts is how many attempts of a reduce are kept: one that runs, its speculative twin, and those that just
	// failed.
	maxAttempts = 3
	// minLambda and minPoints are where detail is not lowered any more, but batches are refused.
	minLambda, minPoints = 32, 64
	// maxOver is how many jobs that have ended are remembered, so that what still comes of them costs nothing.
	maxOver = 1024
	// maxJobPoints bounds what all reduces of a job have done, so that a tape can hold a whole snapshot.
	maxJobPoints = 1 << 17
)
