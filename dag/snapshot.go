package dag

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"
)

// A Snapshot is the state of the query and the cluster at one instant. A reader of one snapshot needs nothing else.
// A snapshot never changes once its source has returned it; snapshots may share unchanged parts.
type Snapshot struct {
	Plan   *Plan
	At     Instant // by the cluster's clock
	ID     string  // the workflow's id
	User   string
	Queue  string
	State  State
	Jobs   []JobState   // parallel to Plan.Jobs
	Nodes  []NodeState  // YARN: the nodes, if known
	Queues []QueueState // YARN: the leaf queues of the scheduler, if known; Queue names ours
	Load   []Load       // YARN: containers of applications that are not ours
	Coming []Capacity   // Executors: requested executors, by instant
	Stale  Instant      // the instant of the last good observation if this is a repetition of it, else NoInstant
	// Inferred means that State is final but was not reported: it follows from earlier observations.
	Inferred bool
	Warnings []Warning
	// NextContainer is when the scheduler is expected to allocate the next container, if it has allocated none for
	// long although there is room (YARN); 0: at once. An observation leaves it 0, a cost model may set it.
	NextContainer Instant
	// Profiles are plans with costs, learned from earlier runs, best first. They are an argument of cost models,
	// which use them if this run has no data; they are not observed. Sources leave them nil, and recordings do not
	// contain them.
	Profiles []*Plan `json:"-"`
}

// A JobState is the progress of a job.
type JobState struct {
	ID        string // the engine's, e.g. "job_1795222440184_0007"; "" before submission
	State     State
	Submitted Instant      // handed to the cluster
	Started   Instant      // its master is up and has begun
	Finished  Instant      // as reported by the engine
	Attempt   int          // the master's attempt, from 1; 0 unknown
	HeldMB    int          // YARN: memory that its application uses now, including the AM's
	Master    string       // YARN: the name of the node that its AM runs on; "" if unknown
	Avoided   []int32      // YARN: nodes on which its AM requests no containers (indices in Snapshot.Nodes), ascending
	Stages    []StageState // parallel to Job.Stages
	Diagnosis string       // why it failed, first line
	Groups    *Groups      // key groups of its reduces; nil if unknown
}

// A StageState contains the attempts of a stage. A task with no running, waiting or succeeded attempt is pending.
type StageState struct {
	// Attempts are ordered by task, then number.
	Attempts []Attempt
	// Submitted is when the driver submitted the part of its program that contains the stage (Executors); 0 before,
	// and if the engine does not report it.
	Submitted Instant
}

// An Attempt is one attempt to run a task. Counters that the engine did not report are NaN.
type Attempt struct {
	Task   int32 // index in its stage, from 0
	Number int32 // 0 for the first attempt
	State  AttemptState
	// FIFO: the slot; with AncestorsFirst the container, by order of arrival; -1 if there is none
	Slot  int32
	Node  int32   // YARN: index in Snapshot.Nodes, FIFO: slot / SlotsPerNode; -1 if unknown
	Start Instant // when it got its slot
	End   Instant // NoInstant while it runs

	Done    [Pipelines]float64 // tuples processed in each pipeline (the paper's K). A map uses only Done[0]
	Total   [Pipelines]float64 // total tuples, derived from this run's reports; NaN unknown
	Out     float64            // tuples written so far
	Bytes   float64            // bytes read (map) or shuffled (reduce) so far
	Ratio   float64            // the engine's own progress, 0..1
	CopyEnd Instant            // reduce: all map outputs are copied
	SortEnd Instant            // reduce: sorted, the reduce function begins

	// First is the first report that showed work in the attempt's last pipeline, Last the latest change of its
	// counters.
	First, Last Mark
	// FirstReport is when the first counters of any kind were observed; NoInstant before.
	FirstReport Instant
	Diagnosis   string // why it failed, first line
	// Metrics are counters of an ended attempt, for explanations only; nil if the engine reports none. Snapshots share
	// them.
	Metrics *TaskMetrics
}

// BlankAttempt returns an attempt without any known values.
func BlankAttempt(task, number int32) Attempt {
	nan := math.NaN()
	a := Attempt{
		Task: task, Number: number, Slot: -1, Node: -1, Start: NoInstant, End: NoInstant,
		Out: nan, Bytes: nan, Ratio: nan, CopyEnd: NoInstant, SortEnd: NoInstant, FirstReport: NoInstant,
	}
	for i := range a.Done {
		a.Done[i], a.Total[i] = nan, nan
	}
	none := Mark{At: NoInstant, Done: nan, Out: nan}
	a.First, a.Last = none, none
	return a
}

// A Mark is a report of work: the counters at an instant.
type Mark struct {
	At   Instant // when it was observed; NoInstant: never
	Done float64 // Done of the attempt's last pipeline (map: 0, reduce: Work)
	Out  float64
}

// A NodeState is the present state of a node in the cluster.
type NodeState struct {
	Name     string
	MemoryMB int       // YARN: for containers
	Cores    int       // Executors: for tasks
	Since    Instant   // Executors: when it was ready for tasks; 0 if unknown
	Lost     bool      // none of our tasks run there, and the output of its finished maps is lost
	LostAt   Instant   // when its loss was observed; NoInstant while it is not lost
	Cause    NodeCause // the cause of its loss; NodeGone while it is not lost
	Draining bool      // it gets no new tasks; those that run there go on (YARN: DECOMMISSIONING)
	Label    string    // YARN: its partition; "" is the default one, or unknown
}

// Closed reports whether the node gets no new containers.
func (n NodeState) Closed() bool { return n.Lost || n.Draining }

// A Warning is a caveat about the numbers that a reader must see. Codes are closed: see the Warn constants.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Warningf returns a warning with a formatted text.
func Warningf(code, format string, args ...any) Warning {
	return Warning{Code: code, Text: fmt.Sprintf(format, args...)}
}

// BlockedJob returns the state of a job that is not submitted and has this number of stages.
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

// CloneStates returns a copy of states with stages that may be changed. Their attempts are shared.
func CloneStates(states []JobState) []JobState {
	out := slices.Clone(states)
	for j := range out {
		out[j].Stages = slices.Clone(out[j].Stages)
	}
	return out
}

// Clone returns a copy with a plan, jobs, stages and nodes of its own. Attempts and series are shared, because no code
// modifies them.
func (s *Snapshot) Clone() *Snapshot {
	out, plan := *s, *s.Plan
	plan.Jobs = CloneJobs(plan.Jobs)
	out.Plan, out.Jobs, out.Nodes = &plan, CloneStates(s.Jobs), slices.Clone(s.Nodes)
	return &out
}

// Origin returns when the first job was submitted, the zero of a run's seconds; NoInstant before.
func (s *Snapshot) Origin() Instant {
	origin := NoInstant
	for i := range s.Jobs {
		origin = origin.Earlier(s.Jobs[i].Submitted)
	}
	return origin
}

// Elapsed returns the time since the first job was submitted, 0 before.
func (s *Snapshot) Elapsed() time.Duration {
	if origin := s.Origin(); origin.Known() {
		return max(0, s.At.Sub(origin))
	}
	return 0
}

// OthersMB returns the memory that other applications use.
func (s *Snapshot) OthersMB() int {
	sum := 0
	for i := range s.Load {
		sum += s.Load[i].HeldMB
	}
	return sum
}

// LastEnd returns when the last job that has ended did; NoInstant if none has.
func (s *Snapshot) LastEnd() Instant {
	last := NoInstant
	for i := range s.Jobs {
		last = max(last, s.Jobs[i].Finished)
	}
	return last
}

// SameAttempts reports whether two snapshots share the memory of a stage's attempts, so that results computed from
// them are equal.
func SameAttempts(a, b []Attempt) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// All yields the attempts. They are not copied: do not modify them.
func (p *StageState) All() iter.Seq[*Attempt] {
	return func(yield func(*Attempt) bool) {
		for i := range p.Attempts {
			if !yield(&p.Attempts[i]) {
				return
			}
		}
	}
}

// All yields the attempts of the job with their stages. They are not copied: do not modify them.
func (js *JobState) All() iter.Seq2[StageIndex, *Attempt] {
	return func(yield func(StageIndex, *Attempt) bool) {
		for k := range js.NumStages() {
			for a := range js.Stages[k].All() {
				if !yield(k, a) {
					return
				}
			}
		}
	}
}

// Running counts the attempts that have a slot or container.
func (p *StageState) Running() int {
	n := 0
	for a := range p.All() {
		if a.State == AttemptRunning {
			n++
		}
	}
	return n
}

// Succeeded counts the tasks with a succeeded attempt.
func (p *StageState) Succeeded() int {
	n, last := 0, int32(-1)
	for a := range p.All() {
		if a.State == AttemptSucceeded && a.Task != last {
			n, last = n+1, a.Task
		}
	}
	return n
}

// LastSuccess returns when the last attempt succeeded, NoInstant if none has or the time is unknown.
func (p *StageState) LastSuccess() Instant {
	last := NoInstant
	for a := range p.All() {
		if a.State == AttemptSucceeded {
			last = max(last, a.End)
		}
	}
	return last
}

// LastSuccess returns when the last attempt succeeded, NoInstant if none has or the time is unknown.
func (js *JobState) LastSuccess() Instant {
	last := NoInstant
	for k := range js.Stages {
		last = max(last, js.Stages[k].LastSuccess())
	}
	return last
}

// Name returns Hadoop's name of an attempt if its job has a Hadoop id: attempt_1795222440184_0007_m_000006_0.
// Without such an id it returns the end of that name: m_000006_0. Stages other than map and reduce keep their full
// name: "Reducer 2_000006_0".
func (a *Attempt) Name(job, stage string) string {
	if short, ok := numbered(stage); ok {
		return fmt.Sprintf("task %d.%d of %s", a.Task, a.Number, short)
	}
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

// Overtaken reports whether an attempt was stopped because another attempt of its task succeeded. The engine starts
// a copy of a slow task, and stops the slower of the two. This is no failure, and no work was lost.
func (p *StageState) Overtaken(a *Attempt) bool {
	wins := func(b Attempt) bool {
		return b.State == AttemptSucceeded && b.End.Known() && b.End <= a.End && !(a.Start.Known() && a.Start > b.End)
	}
	return a.State == AttemptKilled && a.End.Known() && slices.ContainsFunc(AttemptsOf(p.Attempts, int(a.Task)), wins)
}

// Preempted reports whether the attempt was killed to make room, by the scheduler or by its own job: its diagnosis
// contains YARN's word for it.
func (a *Attempt) Preempted() bool {
	return a.State == AttemptKilled && strings.Contains(strings.ToLower(a.Diagnosis), "preempted")
}

// Warning codes. The set is closed: a frame never carries another one.
const (
	WarnAssumedCost    = "assumed_cost"     // the cost of a stage that was never seen is assumed
	WarnUnknownSize    = "unknown_size"     // the number of tasks of a job is unknown
	WarnStale          = "stale"            // the last observation failed; the frame repeats an older one
	WarnObservation    = "observation"      // a part of a response could not be used
	WarnProfileDoubted = "profile_doubted"  // the rates of a profile do not fit this run
	WarnNoProfile      = "no_profile_match" // a given profile does not fit this run
	WarnClockSkew      = "clock_skew"       // the watcher's and the cluster's clocks differ
	// certificates were not verified: another server may have answered in the cluster's place
	WarnUnverified   = "unverified"
	WarnNotReporting = "not_reporting" // an attempt has stopped reporting
	WarnNodeLost     = "node_lost"     // a node with work of ours is lost
	WarnNodeSlow     = "node_slow"     // tasks take longer on a node than elsewhere
	// a node gets no new tasks of a job: it is being decommissioned, or the job's master avoids it
	WarnNodeClosed      = "node_closed"
	WarnMasterRestarted = "am_restarted" // an application master was restarted; its work may be lost
	// other applications use containers, or seem to: no container is allocated although there is room
	WarnOtherLoad    = "other_load"
	WarnTornTape     = "torn_tape"     // a recording ends in the middle of a line
	WarnSecondLaunch = "more_launches" // the script launches in several batches; later ones are invisible
	WarnInterpolated = "interpolated"  // progress of attempts is a straight line between known instants
	WarnKeyGroups    = "key_groups"    // a job's reduces are predicted from their key groups
	WarnNoEdges      = "no_edges"      // the edges between stages, or their kinds, are unknown
	WarnNoEstimate   = "no_estimate"   // an estimator failed; its number is missing
	WarnTooLarge     = "too_large"     // the workflow has too many tasks for estimates; no estimator runs
)

// TooLarge reports whether one of the warnings is WarnTooLarge.
func TooLarge(all []Warning) bool {
	return slices.ContainsFunc(all, func(w Warning) bool { return w.Code == WarnTooLarge })
}

// A Run has the observations of one query: a bounded window of snapshots, and the snapshots that plans
// are made from. Estimators are pure functions of a run.
type Run struct {
	Window []*Snapshot // newest last; at least one
	// the first snapshot and the one at the newest failure: when the paper (section 4) plans and re-plans
	Anchors []*Snapshot
	Seen    []Instant // all observations since the window's begin, also those without a snapshot in it
}

// Now returns the newest snapshot.
func (r Run) Now() *Snapshot { return r.Window[len(r.Window)-1] }

// Before returns the newest snapshot that is at least ms milliseconds older than Now, or the oldest one.
func (r Run) Before(ms int64) *Snapshot {
	limit := r.Now().At - Instant(ms)
	for i := len(r.Window) - 1; i >= 0; i-- {
		if r.Window[i].At <= limit {
			return r.Window[i]
		}
	}
	return r.Window[0]
}

// Continues reports whether the stages of an older plan have the same indices in p, as far as their first ones show.
func (p *Plan) Continues(older *Plan) bool {
	for j := range min(len(p.Jobs), len(older.Jobs)) {
		now, before := p.Jobs[j].Stages, older.Jobs[j].Stages
		if len(now) < len(before) && len(now) > 0 && now[0].Name != before[0].Name {
			return false
		}
	}
	return true
}

// windowMS bounds a run's window: rates are measured over at most a minute (facts/paratimer.md P16), and by
// Luo over ten seconds of it.
const windowMS = 60_000

// Of a run with manyAttempts the window keeps the newest snapshot and others that are apartMS apart, to save memory.
const (
	manyAttempts = 20_000
	apartMS      = 20_000
)

// attempts returns the number of attempts.
func (s *Snapshot) attempts() (n int) {
	for j := range s.Jobs {
		for k := range s.Jobs[j].Stages {
			n += len(s.Jobs[j].Stages[k].Attempts)
		}
	}
	return n
}

// Append returns the run with s as its newest snapshot. Snapshots older than the window are dropped, anchors stay. If
// the plan has lost its first stages, the run begins anew.
func (r Run) Append(s *Snapshot) Run {
	if len(r.Window) > 0 && !s.Plan.Continues(r.Now().Plan) {
		r = Run{}
	}
	if len(r.Window) == 0 || failedMore(r.Now(), s) {
		r.Anchors = append(r.Anchors[:min(len(r.Anchors), 1):min(len(r.Anchors), 1)], s)
	}
	if n := len(r.Window); n > 1 && s.At-r.Window[n-2].At < apartMS && s.attempts() > manyAttempts {
		r.Window = r.Window[:n-1]
	}
	cut := 0
	for cut+1 < len(r.Window) && r.Window[cut+1].At <= s.At-windowMS {
		cut++
	}
	r.Window = append(slices.Clip(r.Window[cut:]), s)
	for cut = 0; cut+1 < len(r.Seen) && r.Seen[cut+1] <= s.At-windowMS; {
		cut++
	}
	r.Seen = append(slices.Clip(r.Seen[cut:]), s.At)
	return r
}

// failedMore reports whether s has more failed attempts than the snapshot before it. It skips stages that the two
// share.
func failedMore(before, s *Snapshot) bool {
	more := 0
	count := func(of, other *Snapshot, by int) {
		for i := range of.Jobs {
			for k := range of.Jobs[i].Stages {
				stage := &of.Jobs[i].Stages[k]
				if i < len(other.Jobs) && k < len(other.Jobs[i].Stages) &&
					SameAttempts(stage.Attempts, other.Jobs[i].Stages[k].Attempts) {
					continue
				}
				for a := range stage.All() {
					if a.State == AttemptFailed {
						more += by
					}
				}
			}
		}
	}
	count(s, before, 1)
	count(before, s, -1)
	return more > 0
}

// DriverAlone returns since when the driver of a running application has worked alone: all submitted stages have
// ended. It returns NoInstant while a stage runs or waits, and if the engine does not report when stages were
// submitted.
func (s *Snapshot) DriverAlone() Instant {
	if s.Plan == nil || s.State != Running || len(s.Jobs) != len(s.Plan.Jobs) {
		return NoInstant
	}
	last := NoInstant
	for j := range s.Jobs {
		js, plan := &s.Jobs[j], &s.Plan.Jobs[j]
		for k := min(len(js.Stages), len(plan.Stages)) - 1; k >= 0; k-- { // the newest stages run most often
			stage := &js.Stages[k]
			if stage.Submitted <= 0 {
				continue
			}
			if stage.Succeeded() < plan.Stages[k].Count() {
				return NoInstant
			}
			last = max(last, stage.Submitted)
		}
		if last.Known() {
			last = max(last, js.LastSuccess())
		}
	}
	return last
}
