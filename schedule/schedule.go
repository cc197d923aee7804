// Package schedule predicts when each remaining task runs: it replays a scheduler from any snapshot in virtual
// time.
//
// The same engine plans and simulates; only the costs differ. It is deterministic: the same snapshot and costs give
// the same schedule. Times are integer milliseconds. It reads no clock and does no I/O.
//
// To embed it, provide a [dag.Snapshot] and a [Left], which returns the remaining cost of a task: [Replay] returns
// when each remaining task runs under the plan's policy. [History] makes the schedule of a run so far from its
// snapshot, [HistoryAndPlan] joins it with the replay of the rest, and [Trace.Cut] returns the snapshot of a schedule
// at an instant.
//
// # Stability
//
// Names and meanings stay within a major version; fields and policies may be added. The result of a replay of a
// YARN snapshot may change in a minor version, as it becomes more like the real scheduler (CONTRIBUTING.md).
package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Task is a task as the input of a cost model. Slot and Node are where it is about to run, -1 if unknown.
type Task struct {
	Job     int
	Stage   dag.StageIndex
	Index   int
	Attempt int
	Slot    int
	Node    int
	// Running is the attempt that is running now, nil for a task that would start later.
	Running *dag.Attempt
	// Count, if it is more than one, asks for the cost of up to Count tasks from Index on that follow each other on a
	// core (Options.Runs): Cost.Work is the sum over the first Cost.Same of them. A task that may start after Count
	// times the mean is none of them, since another core would take it.
	Count int
	// Start is when a later task would start; NoInstant if it is not decided.
	Start dag.Instant
	// Together is the number of tasks that start on its node at about the same time, itself included; 0 if unknown,
	// and on cores of executors, which have a running JVM.
	Together int
	// Cold means that the task is in the first batch of the run (YARN) or the first on a new core (Executors). Its
	// JVM takes longer to start.
	Cold bool
}

// TaskOf returns the task of a running attempt.
func TaskOf(job int, k dag.StageIndex, a *dag.Attempt) Task {
	return Task{
		Job: job, Stage: k, Index: int(a.Task), Attempt: int(a.Number), Slot: int(a.Slot), Node: int(a.Node),
		Running: a, Start: a.Start,
	}
}

// An Origin is the source of a cost.
type Origin uint8

// The origins, best first.
const (
	Observed Origin = iota // measured in this run
	Profiled               // from an earlier run, times this run's slowdown factor
	Assumed                // by a documented formula from other stages
	Unknown                // no data; the cost is a floor
)

// A Cost is the remaining time of a task in its slot.
type Cost struct {
	Setup  time.Duration // remaining set-up
	Work   time.Duration // remaining work; of a reduce: once the last map output exists
	Origin Origin
	// Same is the number of tasks of the stage, from this one on and including it, with exactly this cost. At least
	// 1.
	Same int
}

// Left predicts the remaining cost of a task. It connects cost models and the scheduler: a new paper is usually a
// new Left.
type Left func(Task) Cost

// A Fault makes a simulated attempt fail. It is called when an attempt starts at start and would end at end, and
// returns the instant of its failure; ok is false for an attempt that succeeds. A lost node is no Fault: it is a
// change of the snapshot.
type Fault func(t Task, start, end dag.Instant) (at dag.Instant, ok bool)

// Options change a replay. The zero value is a replay without failures.
type Options struct {
	Fault Fault
	// Until stops the replay once virtual time passes it; NoInstant and 0 replay to the end.
	Until dag.Instant
	// FutureOnly leaves finished tasks out of Spans (they are needed for the paper's rounds, not for a time).
	FutureOnly bool
	// Owners are the owners of the plan's jobs, if a simulation includes others' jobs; nil: all are the query's.
	Owners []Owner
	// EndOnly leaves all but Now and End out of the Schedule; nil: a whole Schedule.
	EndOnly *EndOnly
	// Runs lets one event stand for several tasks of a stage that follow each other on a core, in a replay with
	// EndOnly. The cost model must support Task.Count.
	Runs bool
}

// An Owner is the user and queue of a job (YARN). A job with a known At is another user's: it is submitted then,
// independent of our driver.
type Owner struct {
	User, Queue string
	At          dag.Instant // NoInstant for the query's own jobs
}

// An Outcome is the way a span ends.
type Outcome uint8

// The outcomes.
const (
	OK    Outcome = iota // succeeds (or has succeeded)
	Fails                // an injected failure
	Waits                // a pause between tasks: see Span.Pause
)

// A Span is Count tasks with consecutive indices of one stage that start and end together, each in its own slot.
// A span with a Pause is no task: its Count is 0 and its Slots nil, and its Stage is dag.NoStage.
type Span struct {
	Job     int32
	Stage   dag.StageIndex
	Pause   dag.Pause
	Outcome Outcome
	First   int32 // index of the first task
	Count   int32
	Attempt int32
	Past    bool // it ended at or before Now; in a timeline: it has ended
	Start   dag.Instant
	End     dag.Instant
	// Slots[i] is the slot of task First+i, ascending. Slices may be shared between spans: read only.
	Slots []int32
}

// PauseOf returns a span of kind pause in which job waits, from start to end.
func PauseOf(job int32, pause dag.Pause, start, end dag.Instant) Span {
	return Span{Job: job, Stage: dag.NoStage, Pause: pause, Outcome: Waits, Start: start, End: end}
}

// What returns the name of a span's stage in the plan, or of its pause.
func (s *Span) What(plan *dag.Plan) string { return What(plan, int(s.Job), s.Stage, s.Pause) }

// What returns the name of a stage of a job, or of a pause.
func What(plan *dag.Plan, job int, stage dag.StageIndex, pause dag.Pause) string {
	if pause != dag.NoPause {
		return pause.String()
	}
	return plan.StageName(job, stage)
}

// A Schedule is the result of a replay.
type Schedule struct {
	Now   dag.Instant
	End   dag.Instant // when the last task (FIFO) or job (YARN) ends; Now if nothing is left
	Spans []Span      // sorted by start, kind, first slot, attempt
	// Freed means that the replay released other applications' memory because nothing else could ever have
	// happened: they will end some day, and End is a floor.
	Freed bool
	// Submitted and Finished are each job's instants, past or planned.
	Submitted, Finished []dag.Instant
	// Mastered is when each job's AM gets its container; NoInstant if it had one before. YARN only, else nil.
	Mastered []dag.Instant
	// Nodes is set by History under YARN, else nil: by slot, its node's index in Snapshot.Nodes,
	// -1 if unknown.
	Nodes []int32
}

// Remaining returns the length of the schedule from now on.
func (s *Schedule) Remaining() time.Duration { return s.End.Sub(s.Now) }

// A StuckError means that a replay cannot go on: tasks are left and nothing can ever run them.
type StuckError struct {
	Job   string
	Stage string // the name of the stage
	Why   string
	// NoExecutor means that the application has no executor: none has registered yet, or all were lost. More may
	// come.
	NoExecutor bool
}

func (e *StuckError) Error() string {
	if e.NoExecutor {
		return "schedule: the application has no executor, so no task can run: none has registered yet, or all were lost"
	}
	return fmt.Sprintf("schedule: %s tasks of job %s can never run: %s", e.Stage, e.Job, e.Why)
}

var originNames = [...]string{"observed", "profile", "assumed", "unknown"}

func (o Origin) String() string { return dag.NameOf(originNames[:], int(o)) }

// MarshalText returns the name used in frames and plan files.
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the name used in frames and plan files.
func (o *Origin) UnmarshalText(b []byte) error {
	return dag.ParseName(o, originNames[:], b, "origin of a cost")
}

// BySlot compares spans of one start: by stage (pauses last), first slot, attempt.
func BySlot(a, b *Span) int {
	return cmp.Or(cmp.Compare(a.Pause, b.Pause), cmp.Compare(a.Stage, b.Stage),
		cmp.Compare(firstSlot(a), firstSlot(b)), cmp.Compare(a.Attempt, b.Attempt))
}

func firstSlot(s *Span) int32 {
	if len(s.Slots) == 0 {
		return -1
	}
	return s.Slots[0]
}

// TaskName names an attempt of a task in a plan: the job, the stage, the index from 1, and one prime for each
// earlier attempt. Map 3 of job j1 is j1.m3, its second attempt j1.m3'. Stages other than map and reduce keep their
// full name: q.scan.3.
func TaskName(plan *dag.Plan, job int, k dag.StageIndex, index, attempt int) string {
	name, stage := "?", "?."
	if job >= 0 && job < len(plan.Jobs) {
		j := &plan.Jobs[job]
		name = j.Node
		switch {
		case int(k) >= len(j.Stages):
		case j.IsMapReduce():
			stage = j.Stages[k].Name[:1]
		default:
			stage = j.Stages[k].Name + "."
		}
	}
	return name + "." + stage + strconv.Itoa(index+1) + strings.Repeat("'", max(0, attempt))
}

// Pauses returns the spans in which no task of the query runs: the given gaps between waves, and a pause for every
// other idle time between now and the end. It is a Launch if the next task's job waits for its master or a
// container, and a Finish after the last task. With the pauses the spans cover every instant, so a path through
// them is as long as the schedule.
func Pauses(s *Schedule, gaps []Span) []Span {
	busy := slices.DeleteFunc(slices.Concat(s.Spans, gaps), func(sp Span) bool {
		return !sp.End.Known() || sp.End <= s.Now || sp.Pause != dag.NoPause && sp.End == sp.Start
	})
	slices.SortStableFunc(busy, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	var out []Span
	last := Span{Job: -1, End: s.Now}
	for _, b := range busy {
		switch {
		case b.Start <= last.End:
		case b.Pause == dag.Wave:
			if last.Job < 0 {
				last.Job = s.lastJob(b.Start)
			}
			out = append(out, PauseOf(last.Job, dag.Finish, last.End, b.Start))
		default:
			out = append(out, PauseOf(b.Job, dag.Launch, last.End, b.Start))
		}
		if b.Pause != dag.NoPause {
			out = append(out, b)
		}
		if b.End > last.End {
			last = b
		}
	}
	if last.Job < 0 {
		last.Job = s.lastJob(s.End)
	}
	if last.End < s.End {
		out = append(out, PauseOf(last.Job, dag.Finish, last.End, s.End))
	}
	return out
}

// lastJob returns the job that ends last of those that end until an instant; 0 if none does.
func (s *Schedule) lastJob(until dag.Instant) (last int32) {
	at := dag.NoInstant
	for j, t := range s.Finished {
		if t.Known() && t <= until && t >= at {
			last, at = int32(j), t //nolint:gosec // an index
		}
	}
	return last
}
