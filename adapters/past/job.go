// Package past plays what history files tell of jobs that are over as if somebody had watched them.
//
// A Job is what a history file says, whatever its format. Jobs of one workflow make a Source, whose snapshots show at
// each instant only what a watcher of the live run could have known then. What history does not hold is said in
// warnings.
package past

import (
	"github.com/paratimer/paratimer/adapters/hadoop"
	"github.com/paratimer/paratimer/dag"
)

// A Job is one MapReduce job that is over, or whose history breaks off.
type Job struct {
	File                  string // where it was read, for people
	ID, Name, User, Queue string
	Settings              hadoop.Settings
	// Settings are of the job's own configuration, else only its place in a workflow is known
	Configured bool

	Submitted, Launched, Finished dag.Instant
	State                         dag.State // final, or Running where the history breaks off
	Masters                       []Master  // the attempts of its application master
	Sized                         bool      // Maps and Reduces are known
	Maps, Reduces                 int
	Uber                          bool // its tasks ran inside its master
	Slots                         bool // it ran on map and reduce slots, before YARN
	MapMB, ReduceMB               int  // of a container, as the job's counters imply; 0 unknown
	Diagnosis                     string
	Attempts                      [2][]Attempt // by kind; in any order until it is Settled

	Last dag.Instant // the newest instant in the history
	Torn bool        // it breaks off in the middle of an event
	Bad  int         // events that could not be used
	// Clocks are the corrections of clocks that were wrong, in words.
	Clocks []string
}

// An Attempt is one attempt of a task.
type Attempt struct {
	Task, Number     int32
	Node             string // host and HTTP port; "" unknown
	Start, End       dag.Instant
	State            dag.AttemptState // final, or running where the history has no end of it
	Diagnosis        string
	CopyEnd, SortEnd dag.Instant
	Counts           hadoop.Counts // at its end
	Usage            hadoop.Usage  // at its end
	Splits           []int32       // clockSplits: ms in each twelfth of its progress
	// A result that was lost after the attempt had succeeded: when that was known, and as what it counts since.
	Lost    dag.Instant
	LostAs  dag.AttemptState
	LostWhy string

	course course
}

// Move moves the times of an attempt.
func (a *Attempt) Move(by dag.Instant) {
	for _, at := range []*dag.Instant{&a.Start, &a.End, &a.CopyEnd, &a.SortEnd} {
		if at.Known() {
			*at += by
		}
	}
}

// NewJob is a job of which nothing but its id is known.
func NewJob(id string) *Job {
	return &Job{
		ID: id, State: dag.Running, Submitted: dag.NoInstant, Launched: dag.NoInstant, Finished: dag.NoInstant,
		Last:     dag.NoInstant,
		Settings: hadoop.ReadSettings(nil),
	}
}

// NewAttempt is an attempt of which nothing is known.
func NewAttempt(task, number int32) Attempt {
	return Attempt{
		Task: task, Number: number, State: dag.AttemptRunning, Start: dag.NoInstant, End: dag.NoInstant,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, Lost: dag.NoInstant, Counts: hadoop.CountsOf(nil),
		Usage: hadoop.UsageOf(nil),
	}
}

// Ended says that the history tells how the job ended.
func (j *Job) Ended() bool { return j.State.Ended() && j.Finished.Known() }

// Saw notes an instant of the history.
func (j *Job) Saw(at dag.Instant) {
	if at.Known() && (!j.Last.Known() || at > j.Last) {
		j.Last = at
	}
}

// InstantOf takes milliseconds since the epoch; what is no instant of a cluster's life is unknown.
func InstantOf(ms int64) dag.Instant {
	if ms <= 0 || ms >= 1<<43 { // the year 2248
		return dag.NoInstant
	}
	return dag.Instant(ms)
}

// A Master is one attempt of a job's application master.
type Master struct {
	At   dag.Instant // when it started
	Node string
}
