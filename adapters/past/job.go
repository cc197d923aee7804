// Package past replays finished jobs from their history files, as if a live watcher had observed them.
//
// A Job has the content of a history file of any format. The jobs of one workflow make a Source. At each instant, its
// snapshots show only what a live watcher could have known. Warnings list the facts that history does not contain.
package past

import (
	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// A Job is a MapReduce job that has ended, or has an incomplete history.
type Job struct {
	File                  string // source file, for messages
	ID, Name, User, Queue string
	Settings              mrjob.Settings
	// Configured reports that Settings come from the job's own configuration. Otherwise only its place in a workflow
	// is known.
	Configured bool

	Submitted, Launched, Finished dag.Instant
	State                         dag.State // final, or Running if the history is incomplete
	Masters                       []Master  // attempts of its application master
	Sized                         bool      // Maps and Reduces are known
	Maps, Reduces                 int
	Uber                          bool // its tasks ran inside its master
	Slots                         bool // it ran on map and reduce slots, before YARN
	MapMB, ReduceMB               int  // of a container, from the job's counters; 0 unknown
	Diagnosis                     string
	Attempts                      [2][]Attempt // by kind; unordered before settle

	Last dag.Instant // the newest instant in the history
	Torn bool        // it is cut off in the middle of an event
	Bad  int         // unusable events
	// Clocks describes the corrections of wrong clocks.
	Clocks []string
}

// An Attempt is one attempt of a task.
type Attempt struct {
	Task, Number     int32
	Node             string // host and HTTP port; "" unknown
	Start, End       dag.Instant
	State            dag.AttemptState // final, or running if the history has no end
	Diagnosis        string
	CopyEnd, SortEnd dag.Instant
	Counts           mrjob.Counts // at its end
	Usage            mrjob.Usage  // at its end
	Splits           []int32      // clockSplits: ms in each twelfth of its progress
	// If its output was lost after success: when that was noticed, and the state since then.
	Lost    dag.Instant
	LostAs  dag.AttemptState
	LostWhy string

	course course
}

// Move shifts the times of an attempt.
func (a *Attempt) Move(by dag.Instant) {
	for _, at := range []*dag.Instant{&a.Start, &a.End, &a.CopyEnd, &a.SortEnd} {
		if at.Known() {
			*at += by
		}
	}
}

// NewJob returns a job with an id only.
func NewJob(id string) *Job {
	return &Job{
		ID: id, State: dag.Running, Submitted: dag.NoInstant, Launched: dag.NoInstant, Finished: dag.NoInstant,
		Last:     dag.NoInstant,
		Settings: mrjob.ReadSettings(nil),
	}
}

// NewAttempt returns an attempt with unknown facts.
func NewAttempt(task, number int32) Attempt {
	return Attempt{
		Task: task, Number: number, State: dag.AttemptRunning, Start: dag.NoInstant, End: dag.NoInstant,
		CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, Lost: dag.NoInstant, Counts: mrjob.CountsOf(nil),
		Usage: mrjob.UsageOf(nil),
	}
}

// Ended reports whether the history has the job's end.
func (j *Job) Ended() bool { return j.State.Ended() && j.Finished.Known() }

// Saw records an instant of the history.
func (j *Job) Saw(at dag.Instant) {
	if at.Known() && (!j.Last.Known() || at > j.Last) {
		j.Last = at
	}
}

// InstantOf converts milliseconds since the epoch. Implausible values become NoInstant.
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
