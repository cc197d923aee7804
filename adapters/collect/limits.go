package collect

// Limits bound a store. Bytes are as counted by this package. For a moment the process takes up to twice as much,
// while it joins profiles of map outputs and reads batches.
type Limits struct {
	Bytes   int // in all
	Orphans int // for jobs that are in no snapshot yet, included in Bytes
	Points  int // of one attempt of a reduce, before they are condensed
}

// DefaultLimits are enough for 1,000 maps of 2,000 keys in jobs that still map, and 500 reduces of 2,000 points.
func DefaultLimits() Limits { return Limits{Bytes: 256 << 20, Orphans: 32 << 20, Points: 4096} }

// Costs of what is kept, in bytes: the structures, their slots in maps and the allocator's rounding.
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
	// maxAttempts is how many attempts of a reduce are kept: a running one, a speculative one, and those that just
	// failed.
	maxAttempts = 3
	// minLambda and minPoints are the least detail. If that takes too much, batches are refused.
	minLambda, minPoints = 32, 64
	// maxOver is how many ended jobs are remembered, so that their late batches cost nothing.
	maxOver = 1024
	// maxJobPoints bounds the points of all reduces of a job, so that a recording can contain a whole snapshot.
	maxJobPoints = 1 << 17
)
