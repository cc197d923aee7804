package story

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A Skew is how the reduces of jobs compare.
type Skew struct {
	Says string    `json:"says"`
	Jobs []SkewJob `json:"jobs"` // those with two reduces or more, the most uneven first, at most 5
}

// A SkewJob is the reduces of a job, longest first.
type SkewJob struct {
	Job     string        `json:"job"`
	Uneven  bool          `json:"uneven"`
	Reduces []SkewReduce  `json:"reduces"` // at most 40: the longest
	All     int           `json:"all"`
	Median  frame.Seconds `json:"median_seconds"`
}

// A SkewReduce is a reduce: how long it worked since it had its input, and what it was given.
type SkewReduce struct {
	Task        int           `json:"task"`
	WorkSeconds frame.Seconds `json:"work_seconds"`
	Bytes       *float64      `json:"bytes"`
	Records     *float64      `json:"records"`
	ShareRatio  *frame.Ratio  `json:"share_ratio"`
}
