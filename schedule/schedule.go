// Package schedule says when each task that is left would run: it replays a scheduler from any snapshot in virtual
// time.
//
// One engine serves as planner and as ground truth of simulations; only the costs differ. It is
// deterministic: the same snapshot and costs give the same schedule. Times are integer milliseconds.
// It reads no clock and does no I/O.
//
// To embed it, bring a [dag.Snapshot] and a [Left], which says how long a task would still hold its slot: [Replay]
// returns when each task that is left would run, as the plan's policy hands them out. Where a snapshot shows what has
// been, [History] is the schedule of that alone and [HistoryAndPlan] of both. [Gantt] draws any of them.
//
// # Stability
//
// Names and meanings stay within a major version; fields and policies may be added. What a replay of a YARN snapshot
// says may change in a minor version, where it becomes more like the real scheduler (docs/api.md).
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

// A Task is a task that a cost model gives a cost. Slot and Node are where it is about to run, -1 if unknown.
type Task struct {
	Job     int
	Stage   dag.StageIndex
	Index   int
	Attempt int
	Slot    int
	Node    int
	// Running is the attempt that is running now, nil for a task that would start later.
	Running *dag.Attempt
	// Start is when a later task would start; NoInstant where it is not decided.
	Start dag.Instant
	// Together is how many tasks start on its node at about the same time, itself included; 0 where unknown, and on
	// cores of executors, which have a running JVM.
	Together int
	// Cold says that it is one of the run's first batch. Their JVMs take longer to start: nothing has started longer
	// before it than starts count as together (YARN), or the first on a core that has come (Executors).
	Cold bool
}

// An Origin says where a cost comes from.
type Origin uint8

// The origins, best first.
const (
	Observed Origin = iota // measured in this run
	Profiled               // from an earlier run, times this run's slowdown factor
	Assumed                // by a documented formula from other phases
	Unknown                // nothing to go by; the cost is a floor
)

// A Cost is how long a task would still hold a slot.
type Cost struct {
	Setup  time.Duration // what is left of its set-up
	Work   time.Duration // what is left of its work; of a reduce: once the last map output exists
	Spread float64       // relative standard deviation of Work, 0 where unknown
	Origin Origin
	// Same is how many tasks of the phase, counted from this one on and this one included, have this very cost. At
	// least 1.
	Same int
}

// Left predicts what is left of a task. It is the hinge between cost models and the scheduler: a new paper is usually a
// new Left.
type Left func(Task) Cost

// A Fault makes a simulated attempt fail. It is called when an attempt starts at start and would end at end, and
// returns when it fails; ok is false for an attempt that succeeds. A lost node is no Fault: it is a change of the
// snapshot.
type Fault func(t Task, start, end dag.Instant) (at dag.Instant, ok bool)

// Options change a replay. The zero value replays with nothing going wrong.
type Options struct {
	Fault Fault
	// Until stops the replay once virtual time passes it; NoInstant and 0 replay to the end.
	Until dag.Instant
	// Finished tasks of the snapshot are left out of Spans (they are needed for the paper's rounds, not for a time).
	FutureOnly bool
	// Owners are the owners of the plan's jobs, if a simulation plays others' jobs as well; nil: all are the query's.
	Owners []Owner
	// EndOnly leaves all but Now and End out of the Schedule, if no more is needed; nil: a whole Schedule.
	EndOnly *EndOnly
}

// An Owner is the user and queue of a job (YARN). A job with a known At is another user's: it is submitted then,
// whatever our waves do.
type Owner struct {
	User, Queue string
	At          dag.Instant // NoInstant for the query's own jobs
}

// An Outcome is how a span ends.
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
	Past    bool // it ended at or before Now; of what has happened: it has ended
	Start   dag.Instant
	End     dag.Instant
	// Slots[i] is the slot of task First+i, ascending. Slices may be shared between spans: read only.
	Slots []int32
}

// pauseOf is a span in which job waits, named by why.
func pauseOf(job int32, pause dag.Pause, start, end dag.Instant) Span {
	return Span{Job: job, Stage: dag.NoStage, Pause: pause, Outcome: Waits, Start: start, End: end}
}

// What names what a span is: its stage's name in the plan, or its pause.
func (s *Span) What(plan *dag.Plan) string { return What(plan, int(s.Job), s.Stage, s.Pause) }

// What names a stage of a job, or a pause.
func What(plan *dag.Plan, job int, stage dag.StageIndex, pause dag.Pause) string {
	if pause != dag.NoPause {
		return pause.String()
	}
	return plan.StageName(job, stage)
}

// A Schedule is what a replay returns.
type Schedule struct {
	Now   dag.Instant
	End   dag.Instant // when the last task (FIFO) or job (YARN) ends; Now if nothing is left
	Spans []Span      // sorted by start, kind, first slot, attempt
	// Freed says that the replay took other applications' memory as free because nothing else could ever have happened:
	// they will end some day, and End is a floor.
	Freed bool
	// Submitted and Finished hold each job's instants, past or planned.
	Submitted, Finished []dag.Instant
	// Mastered is when each job's AM gets its container; NoInstant where it had one before. YARN only, else nil.
	Mastered []dag.Instant
	// Nodes is of History and HistoryAndPlan under YARN, else nil: by slot, its node's index in Snapshot.Nodes, -1
	// where that is not known.
	Nodes []int32
}

// Remaining is the length of the schedule from now on.
func (s *Schedule) Remaining() time.Duration { return s.End.Sub(s.Now) }

// A StuckError says that a replay cannot go on: tasks are left and nothing can ever run them.
type StuckError struct {
	Job   string
	Stage string // the name of the stage
	Why   string
	// NoExecutor says that the application has no executor: none has registered yet, or all were lost. More may come.
	NoExecutor bool
}

func (e *StuckError) Error() string {
	if e.NoExecutor {
		return "schedule: the application has no executor, so no task can run: none has registered yet, or all were lost"
	}
	return fmt.Sprintf("schedule: %s tasks of job %s can never run: %s", e.Stage, e.Job, e.Why)
}

var originNames = [...]string{"observed", "profile", "assumed", "unknown"}

func (o Origin) String() string {
	if int(o) < len(originNames) {
		return originNames[o]
	}
	return fmt.Sprintf("unknown(%d)", o)
}

// MarshalText gives the name used in frames and plan files.
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the name used in frames and plan files.
func (o *Origin) UnmarshalText(b []byte) error {
	for i, n := range originNames {
		if n == string(b) {
			*o = Origin(i)
			return nil
		}
	}
	return fmt.Errorf("schedule: %q is not an origin (one of %v)", b, originNames)
}

// bySlot orders spans by stage (pauses last), first slot, attempt.
func bySlot(a, b *Span) int {
	return cmp.Or(cmp.Compare(a.Pause, b.Pause), cmp.Compare(a.Stage, b.Stage),
		cmp.Compare(firstSlot(a), firstSlot(b)), cmp.Compare(a.Attempt, b.Attempt))
}

func firstSlot(s *Span) int32 {
	if len(s.Slots) == 0 {
		return -1
	}
	return s.Slots[0]
}

// sortSpans orders spans by start, then by slot.
func sortSpans(spans []Span) {
	slices.SortStableFunc(spans, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), bySlot(&a, &b))
	})
}

// sortStarts orders spans likewise. What a replay adds is in order but for spans of one instant, so only those are
// sorted again.
func sortStarts(spans []Span) {
	for from := 0; from < len(spans); {
		to := from + 1
		inOrder := true
		for to < len(spans) && spans[to].Start == spans[from].Start {
			inOrder = inOrder && bySlot(&spans[to-1], &spans[to]) <= 0
			to++
		}
		if to < len(spans) && spans[to].Start < spans[from].Start {
			sortSpans(spans)
			return
		}
		if !inOrder {
			sortSpans(spans[from:to])
		}
		from = to
	}
}

// TaskName names an attempt of a task in a plan: the job, the stage, the index from 1, and one prime for each earlier
// attempt. Map 3 of job j1 is j1.m3, its second attempt j1.m3'. Of a stage that is neither map nor reduce the name is
// whole: q.scan.3.
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
