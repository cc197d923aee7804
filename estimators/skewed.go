package estimators

import (
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Skew describes how unevenly the work of a stage that reads others, such as a job's reduces, is spread over its
// tasks, and how much that delays the query. A delay is the end that standard predicts minus the end of the same
// replay from now on without the skew; time that is already lost is not part of it.
type Skew struct {
	Job   int
	Stage dag.StageIndex
	Tasks int             // number of the stage's tasks
	Keys  dag.GroupOrigin // source of its key groups; GroupsNone: its keys are unknown
	Sizes SizeUnit        // unit of the tasks' sizes
	// Median is the working time of the median task: from its start to its end, or from the end of the last task
	// that it waited for in its container if that is later.
	Median time.Duration
	Skewed int           // number of unfinished tasks that are skewed
	Delay  time.Duration // by all skewed tasks together: without it each takes the median
	Worst  []SkewedTask
	Split  *Split         // of its largest remaining key; nil if no key is known
	Double *time.Duration // how much sooner the query would end with twice the tasks; nil if no key is known
}

// A SkewedTask is a task that works longer than the others of its stage.
type SkewedTask struct {
	Task    int
	Done    bool
	Running *dag.Attempt  // nil if none runs
	Size    float64       // in SizeUnit
	Share   float64       // of the stage's size, 0..1; NaN if a size is unknown
	Work    time.Duration // as for Skew.Median
	End     dag.Instant
	Delay   *time.Duration // by this one alone; nil if it is not skewed
	Keys    []SkewedKey    // its keys, largest first, at most dag.MaxTopGroups
}

// A SizeUnit is the unit of task sizes.
type SizeUnit uint8

// The units of sizes.
const (
	SizesUnknown SizeUnit = iota
	SizesBytes
	SizesRecords
)

// A SkewedKey is one of the largest key groups of a reduce.
type SkewedKey struct {
	Name      string // "" if only its size is known
	Bytes     float64
	TaskShare float64        // of its reduce's bytes, 0..1; NaN unknown
	JobShare  float64        // of its job's
	Took      time.Duration  // predicted time of the group
	Rule      string         // the rule of NearestFit that predicts it; RuleLinear if the job is predicted from bytes
	Left      bool           // it is not done
	Delay     *time.Duration // of the query's end, by this group; nil except for the largest remaining key
}

// RuleLinear means that a group takes a share of its reduce's time in proportion to its bytes.
const RuleLinear = "linear"

// A Split is the gain of the query if a key's values were spread over as many parts as the job has reduces, one for
// each reduce that is not done. This only works if the job can merge the results of the parts: a sum or a count can
// be merged, a median cannot.
type Split struct {
	Task   int
	Key    string // "" if it has no name
	Parts  int
	Sooner time.Duration
}
