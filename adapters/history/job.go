package history

import (
	"slices"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// A Job is a MapReduce job that has ended, or has an incomplete history.
type Job struct {
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
	Attempts                      [2][]*Attempt // by kind; unordered before settle

	Last dag.Instant // the newest instant in the history
	Torn bool        // it is cut off in the middle of an event
	Bad  int         // unusable events
	// Clocks describes the corrections of wrong clocks.
	Clocks []string
}

// A Master is one attempt of a job's application master.
type Master struct {
	At   dag.Instant // when it started
	Node string
}

// An Attempt is one attempt of a task. Its state is the final one, or running if the history has no end. Its progress
// and counters are those of a snapshot, so they are blank.
type Attempt struct {
	dag.Attempt
	Kind   dag.StageIndex
	Node   string       // host and HTTP port; "" unknown
	Counts mrjob.Counts // at its end
	Usage  mrjob.Usage  // at its end
	Splits []int32      // clockSplits: ms in each twelfth of its progress

	// If its output was lost after success: when that was noticed, and the state since then.
	Lost    dag.Instant
	LostAs  dag.AttemptState
	LostWhy string

	course course
}

func newJob(id string) *Job {
	return &Job{
		ID: id, State: dag.Running, Submitted: dag.NoInstant, Launched: dag.NoInstant, Finished: dag.NoInstant,
		Last: dag.NoInstant, Settings: mrjob.ReadSettings(nil),
	}
}

func newAttempt(kind dag.StageIndex, task, number int32) *Attempt {
	a := &Attempt{
		Attempt: dag.BlankAttempt(task, number), Kind: kind, Lost: dag.NoInstant,
		Counts: mrjob.CountsOf(nil), Usage: mrjob.UsageOf(nil),
	}
	a.State = dag.AttemptRunning
	return a
}

// Ended reports whether the history has the job's end.
func (j *Job) Ended() bool { return j.State.Ended() && j.Finished.Known() }

// all returns the attempts of maps and reduces.
func (j *Job) all() []*Attempt { return slices.Concat(j.Attempts[dag.Map], j.Attempts[dag.Reduce]) }

// saw records instants of the history.
func (j *Job) saw(instants ...dag.Instant) {
	for _, at := range instants {
		if at.Known() {
			j.Last = max(j.Last, at)
		}
	}
}

// end returns when the job's history ends.
func (j *Job) end() dag.Instant {
	if j.Finished.Known() {
		return j.Finished
	}
	return j.Last
}

// clamp moves the end of an attempt behind its start, and the phases of a reduce between the two.
func (a *Attempt) clamp() {
	if !a.Start.Known() || !a.End.Known() {
		return
	}
	a.End = max(a.End, a.Start)
	for _, at := range []*dag.Instant{&a.CopyEnd, &a.SortEnd} {
		if at.Known() {
			*at = min(max(*at, a.Start), a.End)
		}
	}
}
