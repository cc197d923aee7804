package tape

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
)

// Version is the format version that this package writes. It also reads older versions, which only have MapReduce jobs.
const Version = 2

// Bounds of the memory that a tape can make a reader use.
const (
	maxLine     = 64 << 20 // bytes of a line
	maxAttempts = 1 << 21  // attempts of a snapshot
	maxJobs     = 1 << 16  // jobs of a plan or snapshot
	maxReduces  = 1 << 18  // reduces of a job with known key groups
	maxGroups   = 1 << 21  // these, and sizes, names and points of their groups: of a snapshot, of a phase of the plan
)

// bounds are the bounds of a snapshot.
type bounds struct {
	attempts int
	groups   int // pieces of key groups; likewise for a phase of the plan
}

// A header is a tape's first line.
type header struct {
	Version int `json:"paratimer_tape"`
}

// A line is an observation. An unset field has the value of the previous line or, in a whole line, of blank.
type line struct {
	N      int64   `json:"n"` // counts the observations from 1, so that a lost or repeated line shows
	At     instant `json:"t"`
	Missed *text   `json:"missed,omitempty"` // why the observation was missed; all other fields are then unset
	Whole  bool    `json:"whole,omitempty"`  // independent of the lines before

	Plan     *planLine      `json:"plan,omitempty"`
	ID       opt[text]      `json:"id,omitzero"`
	User     opt[text]      `json:"user,omitzero"`
	Queue    opt[text]      `json:"queue,omitzero"`
	State    opt[dag.State] `json:"state,omitzero"`
	Inferred opt[bool]      `json:"inferred,omitzero"`
	Stale    opt[instant]   `json:"stale,omitzero"`
	Nodes    opt[[]node]    `json:"nodes,omitzero"`
	Queues   opt[[]queue]   `json:"queues,omitzero"`
	Load     opt[[]load]    `json:"load,omitzero"`
	Coming   opt[[]coming]  `json:"coming,omitzero"`
	Warnings opt[[]warning] `json:"warnings,omitzero"`
	Count    opt[int]       `json:"jobs,omitzero"` // number of jobs, -1 for a nil slice
	Jobs     []jobLine      `json:"j,omitempty"`
}

// A jobLine has the changes of a job's state.
type jobLine struct {
	Index     int            `json:"i"`
	ID        opt[text]      `json:"id,omitzero"`
	State     opt[dag.State] `json:"state,omitzero"`
	Submitted opt[instant]   `json:"sub,omitzero"`
	Started   opt[instant]   `json:"start,omitzero"`
	Finished  opt[instant]   `json:"end,omitzero"`
	Attempt   opt[int]       `json:"attempt,omitzero"`
	HeldMB    opt[int]       `json:"mb,omitzero"`
	Master    opt[text]      `json:"am,omitzero"`
	Avoided   opt[[]int32]   `json:"avoids,omitzero"`
	Diagnosis opt[text]      `json:"why,omitzero"`
	Map       *phaseLine     `json:"m,omitempty"`
	Reduce    *phaseLine     `json:"r,omitempty"`
	Stages    []stageLine    `json:"s,omitempty"` // of a job that is not of MapReduce
	Groups    *groupsLine    `json:"g,omitempty"`
}

// A stageLine has the changes of a stage.
type stageLine struct {
	Index int `json:"i"`
	phaseLine
}

type node struct {
	Name     text          `json:"name"`
	MemoryMB int           `json:"mb"`
	Cores    int           `json:"cores,omitempty"`
	Lost     bool          `json:"lost,omitempty"`
	LostAt   instant       `json:"lost_at"`
	Cause    dag.NodeCause `json:"cause,omitzero"`
	Draining bool          `json:"draining,omitempty"`
	Label    text          `json:"label,omitempty"`
}

type coming struct {
	At    instant `json:"t"`
	Cores int     `json:"cores"`
}

type warning struct {
	Code text `json:"code"`
	Text text `json:"text"`
}

// blank is the base of a whole line.
func blank() *dag.Snapshot { return &dag.Snapshot{Stale: dag.NoInstant} }

func blankJob() dag.JobState {
	return dag.BlockedJob(dag.MapReduceStages)
}

// A LineError is the error of a line that cannot be used.
type LineError struct {
	Line int // in the file, from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("tape: line %d: %v", e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }
