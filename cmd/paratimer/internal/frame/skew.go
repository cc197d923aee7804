package frame

import "github.com/paratimer/paratimer/dag"

// A Skew is how unevenly the work of an unfinished job lies on its reduces, and what that costs the query.
type Skew struct {
	Job           string          `json:"job"`
	Reduces       int             `json:"reduces"`
	Skewed        int             `json:"skewed"`
	MedianSeconds Seconds         `json:"median_seconds"`
	DelaySeconds  Seconds         `json:"delay_seconds"`
	KeysFrom      dag.GroupOrigin `json:"keys_from"`
	Worst         []SkewedReduce  `json:"worst"`
	Split         *Split          `json:"split"`
	Doubled       *Doubled        `json:"doubled"`
}

// A SkewedReduce is one of the longest reduces of a job.
type SkewedReduce struct {
	Task         int         `json:"task"`
	Attempt      *string     `json:"attempt"`
	Done         bool        `json:"done"`
	SizeBytes    *float64    `json:"size_bytes"`
	SizeRecords  *float64    `json:"size_records"`
	ShareRatio   *Ratio      `json:"share_ratio"`
	WorkSeconds  Seconds     `json:"work_seconds"`
	EndSeconds   *Seconds    `json:"end_seconds"`
	EndAt        *Time       `json:"end_at"`
	DelaySeconds *Seconds    `json:"delay_seconds"`
	Keys         []SkewedKey `json:"keys"`
}

// A SkewedKey is one of the largest key groups of a reduce.
type SkewedKey struct {
	Key              *string  `json:"key"`
	SizeBytes        *float64 `json:"size_bytes"`
	TaskRatio        *Ratio   `json:"task_ratio"`
	ShareRatio       *Ratio   `json:"share_ratio"`
	PredictedSeconds Seconds  `json:"predicted_seconds"`
	Rule             string   `json:"rule"`
	Done             bool     `json:"done"`
	DelaySeconds     *Seconds `json:"delay_seconds"`
}

// A Split is what would be if the values of a key were spread over several reduces.
type Split struct {
	Task          int     `json:"task"`
	Key           *string `json:"key"`
	Parts         int     `json:"parts"`
	SoonerSeconds Seconds `json:"sooner_seconds"`
	EndAt         *Time   `json:"end_at"`
}

// A Doubled is what would be if the job had twice the reduces.
type Doubled struct {
	Reduces       int     `json:"reduces"`
	SoonerSeconds Seconds `json:"sooner_seconds"`
	EndAt         *Time   `json:"end_at"`
}

// A SkewReport is how the reduces of a query stand at one moment: the answer of `paratimer skew`.
type SkewReport struct {
	SchemaVersion    int      `json:"schema_version"`
	At               *Time    `json:"at"` // null of a plan
	Workflow         Workflow `json:"workflow"`
	ElapsedSeconds   *Seconds `json:"elapsed_seconds"`
	RemainingSeconds *Seconds `json:"remaining_seconds"`
	EndAt            *Time    `json:"end_at"`
	// Skew tells of unfinished jobs, uneven or not, and of their longest reduces, done or not; a watcher tells of what is uneven.
	Skew []Skew `json:"skew"`
}
