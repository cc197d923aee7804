package story

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A Job is a row of the table of jobs.
type Job struct {
	frame.Job
	WaitSeconds    *frame.Seconds `json:"wait_seconds"` // from its submission to its first task
	LengthSeconds  *frame.Seconds `json:"length_seconds"`
	OnPathSeconds  *frame.Seconds `json:"on_path_seconds"` // of the critical path
	InputBytes     *float64       `json:"input_bytes"`
	InputRecords   *float64       `json:"input_records"`
	ShuffleBytes   *float64       `json:"shuffle_bytes"`
	OutputRecords  *float64       `json:"output_records"`
	MapSeconds     *Spread        `json:"map_seconds"`    // of its maps' lengths
	ReduceSeconds  *Spread        `json:"reduce_seconds"` // of its reduces' lengths
	FailedAttempts int            `json:"failed_attempts"`
	KilledAttempts int            `json:"killed_attempts"`
	Parents        []string       `json:"parents"`
}

// A Spread is how lengths of tasks lie.
type Spread struct {
	Tasks  int           `json:"tasks"`
	Min    frame.Seconds `json:"min"`
	Median frame.Seconds `json:"median"`
	P90    frame.Seconds `json:"p90"`
	Max    frame.Seconds `json:"max"`
}
