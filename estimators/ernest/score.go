package ernest

// A JobRow is a run of a named job.
type JobRow struct {
	Job string
	Row
}

// SplitBy is what makes a run large.
type SplitBy uint8

// What makes a run large.
const (
	ByScale    SplitBy = iota
	ByMachines         // more machines
	ByWork             // machine-seconds: what a training run costs
)

// A Split divides the runs of a job into the small ones, which train, and the large ones, which are predicted.
type Split struct {
	By SplitBy
	// Below is the threshold: runs of at most it train. 0 or NaN: take Quantile.
	Below float64
	// Quantile of the distinct values that train, 0 for 0.5.
	Quantile float64
}

// A Scored is how well the jobs' large runs are predicted by the small ones.
type Scored struct {
	Jobs []JobScore // in order of first appearance
	All  []MethodScore
}

// A JobScore is one job's.
type JobScore struct {
	Job         string
	Train, Test int
	Methods     []MethodScore // ernest first, then the baselines
	Runs        []ScoredRun
	Model       *Model
	Err         error // why the job could not be scored, or nil
	Warnings    []Warning
}

// A MethodScore is the errors |predicted/actual - 1| of a method. NaN where it predicted nothing.
type MethodScore struct {
	Name              string // ernest, mean, nearest, 1/machines, scale, scale/machines
	Predicted         int
	Refused           int // runs that the method gives no number for
	Mean, Median, Max float64
	Bias              float64 // mean of predicted/actual - 1: above 0 is too slow
	Covered           float64 // share of the runs within the range; NaN for the baselines
}

// A ScoredRun is a run that was predicted.
type ScoredRun struct {
	Row        Row
	Prediction Prediction // ernest's, refused or not
	Baselines  []float64  // seconds, in the order of Methods[1:]
}

// Score trains on the small runs of each job and predicts the large ones.
func Score(rows []JobRow, split Split, o FitOptions) (*Scored, error) { return nil, errLater }
