package simulate

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// Know is what the watcher of a simulated run knows in addition to its reports.
type Know uint8

// Values of Know.
const (
	All     Know = iota // the plan with all sizes and costs
	Profile             // the plan as the profile of an earlier run; of this run the same as Nothing
	Nothing             // the job graph; a job's number of tasks once it is submitted
)

// Options set the disturbances of a run. The zero value is a run without any.
type Options struct {
	Seed  uint64
	Know  Know
	Start dag.Instant   // start of the run; 0 is valid
	Every time.Duration // between snapshots, DefaultEvery if 0

	Noise float64 // sigma of the factor on each task's work, and on each key group's
	// Family is the shape of these factors; Lognormal if nil.
	Family Family
	// Speed is the sigma of the factor on the work of all tasks of the run, of the gamma family.
	Speed float64
	// SetupNoise is the sigma of two factors on each task's set-up: one per run and one per task, both of Family.
	SetupNoise float64
	Stall      time.Duration // pause at the end of each map for combiners: K = N, but the map has not ended
	Slow       []SlowNode

	Fail     []Failure
	FailRate float64 // failures per task-hour
	// MaxAttempts is how many failures of one task fail its job; 4 if 0, as in Hadoop.
	MaxAttempts int
	Lose        []LostNode

	// Owners are the owners of the plan's jobs, if some are other users' (YARN). The run ends when our jobs have ended.
	// Queue and User are ours. Queues are the scheduler's queues.
	Owners      []schedule.Owner
	Queue, User string
	Queues      []dag.QueueState

	// Skew is the Zipf exponent of the reduces' sizes. The r-th largest of a job is proportional to r^-Skew, and the
	// sum is that of the plan. Task 0 is the largest.
	Skew float64
	// Groups is the origin of measured key groups, for reduces with groups in the plan. GroupsNone measures none.
	Groups dag.GroupOrigin
	// Lambda is how many keys of a map a tap names; DefaultLambda if 0.
	Lambda int
	// Shuffle assigns reduces in an order drawn from the seed, not by index.
	Shuffle bool
}

// DefaultEvery is the time between snapshots, as in the paper's experiments.
const DefaultEvery = 5 * time.Second

// DefaultLambda is the number of named keys of a map in the experiments of NearestFit.
const DefaultLambda = 2000

const defaultAttempts = 4 // Hadoop's mapreduce.map.maxattempts

// A SlowNode takes Factor times as long for all work.
type SlowNode struct {
	Node   int
	Factor float64
}

// A Failure makes an attempt fail: the one that runs At after the run's start, or attempt Attempt after it has run
// for After.
type Failure struct {
	Job     string // its node in the plan
	Stage   dag.StageIndex
	Task    int           // from 0
	At      time.Duration // used if After is 0
	After   time.Duration
	Attempt int
}

// A LostNode fails At after the run's start, and its attempts stop working. Detect later the cluster notices: it
// kills them, and runs the node's finished maps again if a reduce of their job may still need them.
type LostNode struct {
	Node   int
	At     time.Duration
	Detect time.Duration
}

// An OptionError is an option with an invalid value.
type OptionError struct {
	Option string
	Why    string
}

func (e *OptionError) Error() string { return fmt.Sprintf("simulate: %s: %s", e.Option, e.Why) }
