package pathfrag

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Part is an interval of the chain. Job is an index into the plan; Job, Task and Attempt are -1 if the part has
// none.
type Part struct {
	Cause         Cause
	Job           int
	Stage         dag.StageIndex // of the task
	Task, Attempt int32
	Start, End    dag.Instant
}

// Length returns the length of the part.
func (p *Part) Length() time.Duration { return p.End.Sub(p.Start) }

// An Attribution divides the time of a run into parts. Its parts follow each other without a gap from From, the
// first submission, to To: the end of the run, or the snapshot's instant while it goes on.
//
// The chain is the critical path of the finished run, task by task (ParaTimer, section 3.1.3, cuts the same path into
// fragments). It begins with the last task to end. The next link is the event that started that task: a container that
// another task released, the last map of its job, its failed attempt, or its job's submission. The instants come from
// the engine's reports. Reports of progress, which come seconds late, only separate set-up from work. If an interval
// was not observed, its cause is Unknown; nothing is guessed.
type Attribution struct {
	From, To dag.Instant
	Parts    []Part
}

// Total returns the time from From to To.
func (a *Attribution) Total() time.Duration { return a.To.Sub(a.From) }

// ByCause returns the sum of the parts of each cause; index by Cause.
func (a *Attribution) ByCause() []time.Duration {
	sums := make([]time.Duration, causes)
	for i := range a.Parts {
		sums[a.Parts[i].Cause] += a.Parts[i].Length()
	}
	return sums
}

// Attribute attributes the time of a run up to a snapshot. Marks are a watcher's notes about earlier snapshots; without
// them the time from a job's submission to its AM's start is Unknown. Before the first submission there are no
// parts. Attribute returns an error if the snapshot's jobs do not match its plan, or if the plan has no order.
//
// The cost is n log n in attempts and n in jobs for each job of the chain.
func Attribute(s *dag.Snapshot, marks *Marks) (*Attribution, error) { return of(s, marks, nil) }

// An Attempt identifies an attempt: Job is an index into the plan.
type Attempt struct {
	Job          int
	Stage        dag.StageIndex
	Task, Number int32
}

// AttributeTowards is Attribute for a run that goes on, if a replay of the rest shows which running attempt the end
// waits for: the chain ends with that attempt. If it does not run, or is a reduce that waits for maps, the chain is
// that of Attribute: it ends with the attempt that has run longest.
func AttributeTowards(s *dag.Snapshot, marks *Marks, a Attempt) (*Attribution, error) {
	return of(s, marks, &a)
}

func of(s *dag.Snapshot, marks *Marks, towards *Attempt) (*Attribution, error) {
	if s.Plan == nil || len(s.Jobs) != len(s.Plan.Jobs) {
		return nil, fmt.Errorf("account: the snapshot has %d jobs, its plan has others; take both from one source",
			len(s.Jobs))
	}
	graph, err := dag.NewGraph(s.Plan)
	if err != nil {
		return nil, err
	}
	origin := s.Origin()
	if !origin.Known() {
		return &Attribution{From: s.At, To: s.At}, nil
	}
	w := &walker{
		run: newRun(s), graph: graph, marks: marks, origin: origin, been: make(map[int32]bool),
		done: make([]bool, len(s.Jobs)),
	}
	w.towards = towards
	to := w.walk()
	slices.Reverse(w.parts)
	return &Attribution{From: origin, To: to, Parts: w.parts}, nil
}

// A Cause is the reason for an interval of the chain.
type Cause uint8

// The causes, in the order in which a job meets them.
const (
	Queueing   Cause = iota // submitted, its AM has no container
	Launch                  // the client between jobs; an AM that starts
	Broadcast               // the driver builds a broadcast
	Startup                 // executors start
	Containers              // a task is ready and has no container
	Idle                    // a task is ready, a core is free, and the driver launches other tasks of its stage only
	SetUp                   // a container's start to its first work
	Work                    // tasks work
	Shuffle                 // copy after the last map has ended
	Sort                    // merging what was copied
	Skew                    // a reduce's work beyond the median one's
	Straggler               // a task's work beyond the median one's, which was given as much
	Failures                // failed attempts, and the time until their tasks ran again
	Finish                  // all tasks are done, the job is not
	Unknown                 // not observed
	causes
)

var causeTexts = [causes]struct{ name, title, meaning string }{
	Queueing: {"queueing", "queueing", "A job was submitted and its application master had no container yet."},
	Launch: {
		"launch", "launch",
		"The client was between jobs, or an application master started up and had not requested its first container.",
	},
	Broadcast: {
		"broadcast", "building broadcasts",
		"The driver built a table that it sends to all executors, and no task ran meanwhile.",
	},
	Startup: {
		"startup", "executors starting",
		"A task was ready, and the executor that ran it, or the first one of all, had not registered with the driver.",
	},
	Idle: {
		"idle", "idle cores",
		"A task was ready, a core was free and its stage had begun, but the task was not launched, as tasks that wait for a core near their data.",
	},
	Containers: {
		"containers", "waiting for containers",
		"A task was ready to run without a container: others used them all, or the scheduler had not allocated one yet.",
	},
	SetUp: {
		"setup", "set-up",
		"A container started up, from its start to its first work, if reports show both.",
	},
	Work: {"work", "work", "Maps or reduces worked, with their set-up if reports do not show it."},
	Shuffle: {
		"shuffle", "shuffle",
		"A reduce copied map outputs after the last map had ended; one that started later set itself up meanwhile.",
	},
	Sort: {"sort", "sort and merge", "A reduce merged what it had copied, before its reduce function began."},
	Skew: {
		"skew", "skew",
		"A reduce with more input than the others worked longer than the median reduce of its job.",
	},
	Straggler: {
		"straggler", "stragglers",
		"A task worked on beyond what the median task of its stage took, and its input does not explain it.",
	},
	Failures: {
		"failures", "failures",
		"An attempt ran that failed, was killed or lost its output, or its task waited to run again; without it other tasks would have taken part of this time.",
	},
	Finish: {
		"finish", "finish",
		"All tasks of a job had ended; the job was committed, its history written and the client notified.",
	},
	Unknown: {"unknown", "unknown", "The recording does not show what the query waited for."},
}

// onCores has the causes with other texts if tasks run on the cores of executors.
var onCores = map[Cause]struct{ title, meaning string }{
	Launch: {
		"the driver between jobs",
		"The driver worked alone and had not submitted its next job, or had not launched a task although a core was free.",
	},
	Containers: {
		"waiting for cores",
		"A task of a submitted stage was ready to run and had no core: other tasks used them all, or the driver had just got one back.",
	},
	Work: {"work", "Tasks worked, with their start-up if reports do not show it."},
	Skew: {
		"skew",
		"A task that was given more than the others worked on, beyond what the median task of its stage took.",
	},
	Finish: {
		"the driver after the last job",
		"All tasks had ended and the driver worked on: it committed files, wrote to a database or used what it had collected.",
	},
}

// On returns the title of the cause under a policy, and a sentence that explains it.
func (c Cause) On(p dag.Policy) (title, meaning string) {
	if w, ok := onCores[c]; ok && p == dag.Executors {
		return w.title, w.meaning
	}
	if c >= causes {
		return c.String(), ""
	}
	return causeTexts[c].title, causeTexts[c].meaning
}

// Causes returns all causes in order.
func Causes() []Cause {
	all := make([]Cause, causes)
	for i := range all {
		all[i] = Cause(i)
	}
	return all
}

func (c Cause) String() string {
	if c < causes {
		return causeTexts[c].name
	}
	return fmt.Sprintf("unknown(%d)", uint8(c))
}

// MarshalText returns the name used in reports.
func (c Cause) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Marks are facts that only a watcher of the run has: until when each job's AM had no container, and the memory of
// other applications over time. The zero Marks are empty.
type Marks struct {
	jobs   map[string]*jobMarks // by node in the plan
	others []held
}

// jobMarks are instants of snapshots, except started.
type jobMarks struct {
	idle    dag.Instant // the last one in which the job was submitted and without a container
	holding dag.Instant // the first one in which it had a container
	started dag.Instant // start of its first master, as reported at the time
}

// held is the memory that other applications used from an instant on.
type held struct {
	at dag.Instant
	mb int
}

// mostHeld bounds the stored changes: at the limit, every second one is dropped.
const mostHeld = 1 << 14

// See records a snapshot. Snapshots come in order; a repeated one is ignored.
func (m *Marks) See(s *dag.Snapshot) {
	if s.Stale.Known() || s.Plan == nil || len(s.Jobs) != len(s.Plan.Jobs) {
		return
	}
	if m.jobs == nil {
		m.jobs = make(map[string]*jobMarks)
	}
	for j := range s.Jobs {
		js := &s.Jobs[j]
		if !js.Submitted.Known() {
			continue
		}
		node := s.Plan.Jobs[j].Node
		job := m.jobs[node]
		if job == nil {
			job = &jobMarks{dag.NoInstant, dag.NoInstant, dag.NoInstant}
			m.jobs[node] = job
		}
		job.started = dag.FirstKnown(job.started, js.Started)
		if job.holding.Known() {
			continue
		}
		// If memory is not reported, the state after Submitted or the master's first attempt shows that it has a
		// container.
		if js.State == dag.Submitted && js.HeldMB == 0 && (s.Plan.Jobs[j].MasterMB > 0 || js.Attempt == 0) {
			job.idle = s.At
		} else {
			job.holding = s.At
		}
	}
	mb := s.OthersMB()
	if n := len(m.others); n == 0 && mb > 0 || n > 0 && m.others[n-1].mb != mb {
		m.others = append(m.others, held{s.At, mb})
	}
	if len(m.others) >= mostHeld {
		for i := range len(m.others) / 2 {
			m.others[i] = m.others[2*i+1]
		}
		m.others = m.others[:len(m.others)/2]
	}
}

// of returns a job's marks, nil if there are none.
func (m *Marks) of(node string) *jobMarks {
	if m == nil {
		return nil
	}
	return m.jobs[node]
}

// heldAt returns the memory of other applications in the last snapshot by t.
func (m *Marks) heldAt(t dag.Instant) int {
	if m == nil {
		return 0
	}
	i := sort.Search(len(m.others), func(i int) bool { return m.others[i].at > t })
	if i == 0 {
		return 0
	}
	return m.others[i-1].mb
}
