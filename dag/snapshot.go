package dag

import (
	"fmt"
	"slices"
	"strings"
)

// A Snapshot is the whole world at one instant. A reader of one snapshot needs nothing else.
// Snapshots are values: once handed out, nothing of them is changed; unchanged parts may be shared between them.
type Snapshot struct {
	Plan   *Plan
	At     Instant // by the cluster's clock
	ID     string  // the workflow's id
	User   string
	Queue  string
	State  State
	Jobs   []JobState   // parallel to Plan.Jobs
	Nodes  []NodeState  // YARN: the nodes, where known
	Queues []QueueState // YARN: the leaf queues of the scheduler, where known; Queue names ours
	Load   []Load       // YARN: containers of applications that are not ours
	Coming []Capacity   // Executors: those that have been asked for, by instant
	Stale  Instant      // the instant of the last good observation if this is a repetition of it, else NoInstant
	// Inferred says of a state that is an end that nothing reported it: it follows from what was seen before.
	Inferred bool
	Warnings []Warning
	// NextContainer is when the scheduler is expected to give out a container again, where it has given none for long
	// although there is room (YARN); 0: at once. An observation leaves it 0, a cost model may set it.
	NextContainer Instant
	// Profiles are plans with costs, learned from earlier runs, best first. They are an argument of cost models, which
	// consult them where this run shows nothing, and no observation: sources leave them nil, tapes do not hold them.
	Profiles []*Plan
}

// A JobState is how far a job is.
type JobState struct {
	ID        string // the engine's, e.g. "job_1795222440184_0007"; "" before submission
	State     State
	Submitted Instant      // handed to the cluster
	Started   Instant      // its master is up and has begun
	Finished  Instant      // as the engine says
	Attempt   int          // the master's attempt, from 1; 0 unknown
	HeldMB    int          // YARN: memory that its application holds now, the AM's included
	Master    string       // YARN: the name of the node that its AM runs on; "" where unknown
	Avoided   []int32      // YARN: nodes on which its AM wants no containers (indices in Snapshot.Nodes), ascending
	Stages    []StageState // parallel to Job.Stages
	Diagnosis string       // why it failed, first line
	Groups    *Groups      // key groups of its reduces; nil where nothing tells of them
}

// A StageState holds the attempts of a stage. A task with no running, waiting or succeeded attempt is pending.
type StageState struct {
	// Attempts are ordered by task, then number.
	Attempts []Attempt
	// Submitted is when the driver submitted the part of its program that has the stage (Executors); 0 before, and
	// where the engine does not report it.
	Submitted Instant
}

// An Attempt is one attempt to run a task. Counters that the engine did not give are NaN.
type Attempt struct {
	Task   int32 // index in its phase, from 0
	Number int32 // 0 for the first attempt
	State  AttemptState
	// FIFO: the slot; with AncestorsFirst the container, by the order in which they came; -1 where there is none
	Slot  int32
	Node  int32   // YARN: index in Snapshot.Nodes, FIFO: slot / SlotsPerNode; -1 where unknown
	Start Instant // holds its slot since
	End   Instant // NoInstant while it runs

	Done    [Pipelines]float64 // tuples processed in each pipeline (the paper's K). A map uses only Done[0]
	Total   [Pipelines]float64 // tuples in all, as this run's reports imply; NaN unknown
	Out     float64            // tuples written so far
	Bytes   float64            // bytes read (map) or shuffled (reduce) so far
	Ratio   float64            // the engine's own progress, 0..1
	CopyEnd Instant            // reduce: all map outputs are here
	SortEnd Instant            // reduce: sorted, the reduce function begins

	// First is the first report that showed work in the attempt's last pipeline, Last the newest change of its
	// counters.
	First, Last Mark
	// FirstReport is when the first counters of any kind were seen; NoInstant before.
	FirstReport Instant
	Diagnosis   string // why it failed, first line
}

// A Mark is a report of work: where the counters stood at an instant.
type Mark struct {
	At   Instant // when it was seen; NoInstant: never
	Done float64 // Done of the attempt's last pipeline (map: 0, reduce: Work)
	Out  float64
}

// A NodeState is a node as the cluster sees it now.
type NodeState struct {
	Name     string
	MemoryMB int       // YARN: for containers
	Cores    int       // Executors: for tasks
	Lost     bool      // nothing of ours runs there, and what its finished maps wrote is gone
	LostAt   Instant   // when its loss was seen; NoInstant while it is not lost
	Cause    NodeCause // how it was lost; NodeGone while it is not
	Draining bool      // it is given no new containers; those that run there go on (YARN: DECOMMISSIONING)
	Label    string    // YARN: the partition that it belongs to; "" is the default one, or not known
}

// A Warning is something a reader must know about the numbers. Codes are closed: see the Warn constants.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// BlockedJob returns the state of a job of that many stages that is not submitted.
func BlockedJob(stages int) JobState {
	return JobState{Submitted: NoInstant, Started: NoInstant, Finished: NoInstant, Stages: make([]StageState, stages)}
}

// BlockedJobs returns the states of the jobs of p before any is submitted.
func (p *Plan) BlockedJobs() []JobState {
	out := make([]JobState, len(p.Jobs))
	for j := range out {
		out[j] = BlockedJob(len(p.Jobs[j].Stages))
	}
	return out
}

// CloneStates returns a copy of states whose stages may be changed. Their attempts are shared.
func CloneStates(states []JobState) []JobState {
	out, n := slices.Clone(states), 0
	for j := range states {
		n += len(states[j].Stages)
	}
	all := make([]StageState, 0, n) // one piece of memory: a replay of what may be makes thousands of copies
	for j := range out {
		from := len(all)
		all = append(all, states[j].Stages...)
		out[j].Stages = all[from:len(all):len(all)]
	}
	return out
}

// Origin returns the submission of the first job, from which a run's seconds count; NoInstant before.
func (s *Snapshot) Origin() Instant {
	origin := NoInstant
	for i := range s.Jobs {
		if t := s.Jobs[i].Submitted; t.Known() && (!origin.Known() || t < origin) {
			origin = t
		}
	}
	return origin
}

// Shares reports whether two snapshots of a stage have the same attempts in the same memory, so that what follows from
// these is the same.
func (p *StageState) Shares(q *StageState) bool {
	return len(p.Attempts) == len(q.Attempts) && (len(p.Attempts) == 0 || &p.Attempts[0] == &q.Attempts[0])
}

// Running counts the attempts that hold a slot or container.
func (p *StageState) Running() int {
	n := 0
	for i := range p.Attempts {
		if p.Attempts[i].State == AttemptRunning {
			n++
		}
	}
	return n
}

// Succeeded counts the tasks of which an attempt has succeeded.
func (p *StageState) Succeeded() int {
	n, last := 0, int32(-1)
	for i := range p.Attempts {
		if a := &p.Attempts[i]; a.State == AttemptSucceeded && a.Task != last {
			n, last = n+1, a.Task
		}
	}
	return n
}

// LastSuccess returns when the last attempt succeeded, NoInstant if none has, or nobody knows when.
func (js *JobState) LastSuccess() Instant {
	last := NoInstant
	for k := range js.Stages {
		for i := range js.Stages[k].Attempts {
			if a := &js.Stages[k].Attempts[i]; a.State == AttemptSucceeded && a.End.Known() {
				last = max(last, a.End)
			}
		}
	}
	return last
}

// Name names an attempt of a stage as Hadoop does if its job has a Hadoop id: attempt_1795222440184_0007_m_000006_0.
// Without such an id it is the end of that: m_000006_0. A stage that is no map or reduce is named in full: "Reducer
// 2_000006_0".
func (a *Attempt) Name(job, stage string) string {
	letter, hadoop := stage, false
	if stage == "map" || stage == "reduce" {
		letter, hadoop = stage[:1], true
	}
	short := fmt.Sprintf("%s_%06d_%d", letter, a.Task, a.Number)
	if id, ok := strings.CutPrefix(job, "job_"); ok && hadoop {
		return "attempt_" + id + "_" + short
	}
	return short
}

// Overtaken reports whether attempt i was stopped because another attempt of its task succeeded: of a slow task and the
// copy that the engine starts beside it, the one that loses. It is no failure, and no work was lost by it.
func (p *StageState) Overtaken(i int) bool {
	a := &p.Attempts[i]
	if a.State != AttemptKilled || !a.End.Known() {
		return false
	}
	wins := func(b *Attempt) bool {
		return b.State == AttemptSucceeded && b.End.Known() && b.End <= a.End && !(a.Start.Known() && a.Start > b.End)
	}
	for k := i - 1; k >= 0 && p.Attempts[k].Task == a.Task; k-- {
		if wins(&p.Attempts[k]) {
			return true
		}
	}
	for k := i + 1; k < len(p.Attempts) && p.Attempts[k].Task == a.Task; k++ {
		if wins(&p.Attempts[k]) {
			return true
		}
	}
	return false
}

// Preempted says that the attempt was killed to make room, by the scheduler or by its own job: its diagnosis has YARN's
// word for it.
func (a *Attempt) Preempted() bool {
	return a.State == AttemptKilled && strings.Contains(strings.ToLower(a.Diagnosis), "preempted")
}

// Warning codes. The set is closed: a frame never carries another one.
const (
	WarnAssumedCost    = "assumed_cost"     // a phase that nobody has seen is assumed
	WarnUnknownSize    = "unknown_size"     // a job whose number of tasks nobody knows
	WarnStale          = "stale"            // the last observation failed; the frame repeats an older one
	WarnObservation    = "observation"      // something in an answer could not be used
	WarnProfileDoubted = "profile_doubted"  // a profile is ten times off
	WarnNoProfile      = "no_profile_match" // a given profile does not fit this run
	WarnClockSkew      = "clock_skew"       // the watcher's and the cluster's clocks differ
	// certificates were not verified: anybody may have answered in the cluster's place
	WarnUnverified   = "unverified"
	WarnNotReporting = "not_reporting" // an attempt has stopped reporting
	WarnNodeLost     = "node_lost"     // a node with work of ours is lost
	WarnNodeSlow     = "node_slow"     // tasks take longer on a node than elsewhere
	// a node gets no new tasks of a job: it is being decommissioned, or the job's master avoids it
	WarnNodeClosed      = "node_closed"
	WarnMasterRestarted = "am_restarted" // an application master came again; its work may be lost
	// other applications hold containers, or seem to: nothing is given although there is room
	WarnOtherLoad    = "other_load"
	WarnTornTape     = "torn_tape"     // a tape or capture ends in the middle of a line
	WarnSecondLaunch = "more_launches" // the script launches in several batches; later ones are invisible
	WarnInterpolated = "interpolated"  // progress of attempts is a straight line between instants that are known
	WarnKeyGroups    = "key_groups"    // a job's reduces are predicted by their key groups
	WarnNoEdges      = "no_edges"      // which stage reads which is not known, or not how
	WarnNoEstimate   = "no_estimate"   // an estimator failed; its number is missing
	WarnTooLarge     = "too_large"     // the workflow has more tasks than are estimated; no estimator is asked
)

// TooLarge reports whether one of the warnings is WarnTooLarge.
func TooLarge(all []Warning) bool {
	return slices.ContainsFunc(all, func(w Warning) bool { return w.Code == WarnTooLarge })
}

// Announced returns the snapshot without the stages that engines foresee, which come last in their jobs: s itself if
// there are none.
func (s *Snapshot) Announced() *Snapshot {
	out := s
	for j := range s.Plan.Jobs {
		stages := s.Plan.Jobs[j].Stages
		n := slices.IndexFunc(stages, func(stage Stage) bool { return stage.Foreseen })
		if n < 0 {
			continue
		}
		if out == s {
			c, plan := *s, *s.Plan
			plan.Jobs, c.Jobs, c.Plan = slices.Clone(plan.Jobs), slices.Clone(s.Jobs), &plan
			out = &c
		}
		out.Plan.Jobs[j].Stages = stages[:n:n]
		if j < len(out.Jobs) {
			states := out.Jobs[j].Stages
			out.Jobs[j].Stages = slices.Clip(states[:min(n, len(states))])
		}
	}
	return out
}
