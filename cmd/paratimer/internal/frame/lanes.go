package frame

import "github.com/paratimer/paratimer/dag"

// A Stretch is where a phase of a job lies in time: what is before the frame's instant was seen, what is after is predicted.
type Stretch struct {
	Phase        dag.Kind `json:"phase"`         // map or reduce
	StartSeconds *Seconds `json:"start_seconds"` // its first task starts
	EndSeconds   *Seconds `json:"end_seconds"`   // its last task ends
}

// A Failure is an attempt that failed, or whose work was lost with its node.
type Failure struct {
	AtSeconds *Seconds `json:"at_seconds"`
	Job       string   `json:"job"` // node in the DAG
	Attempt   string   `json:"attempt"`
	Node      *string  `json:"node"` // the machine
	Why       *string  `json:"why"`
}

// MostFailures bounds Failures: the newest are told.
const MostFailures = 20

// A Task is how a task of a job stands: its newest attempt, and when it is expected to end. It is in no JSON.
type Task struct {
	Name         string // of its attempt, or of the task where none has begun
	Phase        dag.Kind
	Index        int
	Attempts     int // how many have begun
	State        string
	Node         *string
	StartSeconds *Seconds
	EndSeconds   *Seconds // seen or predicted
	Ratio        *Ratio   // the engine's own progress
	Critical     bool
}

// Tasks of a job by their end, unfinished ones first and latest end first; at most so many, and how many there are in all.
type TasksOf func(job, most int) (tasks []Task, all int)
