package runreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/pathfrag/attribution"
	"github.com/paratimer/paratimer/units"
)

// An Advice is what most lengthened a run of Spark, and what would help.
type Advice struct {
	Rule        string         `json:"rule"`
	Stage       *string        `json:"stage"` // null if it is about the whole run
	Summary     string         `json:"says"`  // what lengthened the run
	Help        string         `json:"help"`
	GainSeconds *frame.Seconds `json:"gain_seconds"` // null if no replay can answer it
}

// A finding is what a rule has found. Its gain is that of a replay with the change, unless the rule has set it.
type finding struct {
	Advice
	cost   time.Duration // how much of the critical path it is about at most
	change whatif.Change
	last   bool // it counts only if there is no other finding, and no cause that is worth more
}

// rules are the reasons for which a run of Spark is slow. Each returns a finding without a cost if it does not apply.
var rules = []func(*evidence) finding{
	(*evidence).skew, (*evidence).spill, (*evidence).collection, (*evidence).fewPartitions, (*evidence).manyPartitions,
	(*evidence).smallFiles, (*evidence).slowNode, (*evidence).driver, (*evidence).copies, (*evidence).fewCores,
}

// advise returns the finding that would save most by replay or, if no replay fits the run, the one that is about most
// of the critical path. It is nil if there is no evidence, and if no rule finds a tenth of the run.
func (e *evidence) advise() *Advice {
	if e == nil {
		return nil
	}
	var best *finding
	worth := func(f *finding) time.Duration {
		if f.GainSeconds != nil {
			return f.GainSeconds.Duration()
		}
		return f.cost
	}
	for _, rule := range rules {
		f := rule(e)
		if f.Rule == "" || f.cost.Seconds() < leastNamed*e.length.Seconds() {
			continue
		}
		if f.GainSeconds == nil && !f.change.None() {
			f.GainSeconds = e.Limits.gain(f.change)
		}
		if f.GainSeconds != nil && f.GainSeconds.Duration().Seconds() < leastNamed/2*e.length.Seconds() {
			continue
		}
		if best == nil || cmp.Or(order(best.last)-order(f.last), cmp.Compare(worth(&f), worth(best))) > 0 {
			best = &f
		}
	}
	if c := e.largestCause(); best == nil || best.last && c != nil && c.Cause != attribution.Work.String() &&
		c.Seconds.Duration() > worth(best) {
		return nil
	}
	return &best.Advice
}

// gain returns how much sooner the run would have ended with a change; nil if a replay cannot answer it.
func (l *Limits) gain(c whatif.Change) *frame.Seconds {
	if l.replay == nil {
		return nil
	}
	a, err := l.replay.Predict(c)
	if err != nil || a.Remaining == nil || !(a.AssumedRatio <= mostAssumed) {
		return nil
	}
	return new(frame.SecondsOf(max(l.base-l.replay.Elapsed()-*a.Remaining, 0)))
}

// text returns the advice in two sentences.
func (a *Advice) text(length frame.Seconds, ended bool) string {
	would, save := "would help", "would save"
	if ended {
		would, save = "would have helped", "would have saved"
	}
	if a.GainSeconds == nil || length <= 0 {
		return fmt.Sprintf("%s. %s %s.", a.Summary, a.Help, would)
	}
	return fmt.Sprintf("%s. %s %s about %s, %s.", a.Summary, a.Help, save, units.Seconds(*a.GainSeconds),
		units.Percent(float64(*a.GainSeconds/length)))
}

// An evidence is what rules read: the stages of an application of Spark, and its report.
type evidence struct {
	*Report
	snap   *dag.Snapshot
	cores  int
	length time.Duration
	stages []*stageEvidence // those with counters
}

// A stageEvidence is a stage with the counters of its tasks.
type stageEvidence struct {
	*dag.Stage
	index  dag.StageIndex
	onPath time.Duration
	list   []*dag.Attempt
	total  time.Duration // the length of all
}

// evidenceOf returns nil for other engines, and before anything is known.
func evidenceOf(s *Report, snap *dag.Snapshot) *evidence {
	if snap.Plan == nil || snap.Plan.Cluster.Policy != dag.Executors || len(snap.Jobs) != 1 || s.ElapsedSeconds == nil {
		return nil
	}
	e := &evidence{Report: s, snap: snap, length: s.ElapsedSeconds.Duration()}
	if s.Limits.replay != nil {
		e.length, e.cores = s.Limits.base, s.Limits.replay.Room().Total()
	}
	for k := range snap.Jobs[0].NumStages() {
		state := &snap.Jobs[0].Stages[k]
		for i := range state.Attempts {
			e.cores = max(e.cores, int(state.Attempts[i].Slot)+1)
		}
		st := &stageEvidence{
			Stage: &snap.Plan.Jobs[0].Stages[k], index: k, onPath: s.TimeAttribution.byStage[stageKey{0, k}],
			list: measured(state),
		}
		for _, a := range st.list {
			st.total += a.End.Sub(a.Start)
		}
		if st.total > 0 {
			e.stages = append(e.stages, st)
		}
	}
	return e
}

// mean returns the mean of a value of the tasks, in seconds.
func (st *stageEvidence) mean(of func(*dag.Attempt) time.Duration) float64 {
	sum := time.Duration(0)
	for _, a := range st.list {
		sum += of(a)
	}
	return sum.Seconds() / float64(len(st.list))
}

func lengthOf(a *dag.Attempt) time.Duration { return a.End.Sub(a.Start) }

// A remedy is what a rule would change in a stage: cost is the part of the critical path that it is about.
type remedy struct {
	cost   time.Duration
	change whatif.StageChange
}

// find applies a rule to each stage. The stage with the greatest cost is the one that the advice names; describe
// returns what it says about it.
func (e *evidence) find(rule, help string, of func(*stageEvidence) remedy, describe func(*stageEvidence) string) finding {
	f, most := finding{}, time.Duration(0)
	for _, st := range e.stages {
		r := of(st)
		if r.cost <= 0 {
			continue
		}
		r.change.Stage = st.index
		f.cost += r.cost
		f.change.Stages = append(f.change.Stages, r.change)
		if r.cost > most {
			most = r.cost
			f.Advice = Advice{Rule: rule, Stage: frame.Text(st.Name), Summary: describe(st), Help: help}
		}
	}
	return f
}

// without is the remedy that removes a part of the time of each task.
func (st *stageEvidence) without(part func(*dag.Attempt) time.Duration) remedy {
	share := st.mean(part) / st.mean(lengthOf)
	if !(share > 0) {
		return remedy{}
	}
	factors := map[int]float64{}
	for _, a := range st.list {
		if a.State == dag.AttemptSucceeded && a.End > a.Start {
			factors[int(a.Task)] = 1 - part(a).Seconds()/lengthOf(a).Seconds()
		}
	}
	return remedy{time.Duration(share * float64(st.onPath)), whatif.StageChange{Work: func(task int) float64 {
		if f, ok := factors[task]; ok {
			return f
		}
		return 1 - share
	}}}
}

// split is the remedy that gives a stage another number of tasks. Of the mean task, over seconds are spent once per
// task, however large it is.
func (st *stageEvidence) split(tasks int, over float64, cost time.Duration) remedy {
	mean, ratio := st.mean(lengthOf), float64(st.Count())/float64(tasks)
	factor := (over + (mean-over)*ratio) / mean
	return remedy{cost, whatif.StageChange{Tasks: tasks, Work: func(int) float64 { return factor }}}
}

// lost returns the advice about lost executors. text names what failed.
func (e *evidence) lost(text string) *Advice {
	a := &Advice{
		Rule: "executor_lost", Summary: strings.TrimSuffix(text, "."),
		Help: "Keeping the executors (their logs have the reason, often memory overhead) and an external shuffle service",
	}
	if e.Glance.FailureCost != nil {
		a.GainSeconds = &e.Glance.FailureCost.Seconds
	}
	return a
}

// skew is the rule of skewed keys.
func (e *evidence) skew() (f finding) {
	if text := e.skewText(); text != "" {
		s := &e.Skew[0]
		f.Advice = Advice{
			Rule: "skew", Stage: frame.Text(s.Stage), Summary: text,
			Help: "Splitting the largest keys, as spark.sql.adaptive.skewJoin.enabled does for joins,",
		}
		if f.cost = s.DelaySeconds.Duration(); e.Limits.replay != nil {
			f.GainSeconds = &s.DelaySeconds
		}
	}
	return f
}

// spill is the rule of stages that spilled to disk: their time off the CPU is the most that this can have cost.
func (e *evidence) spill() finding {
	return e.find("spill", "More memory for each task, or more and smaller partitions,",
		func(st *stageEvidence) remedy {
			return st.without(func(a *dag.Attempt) time.Duration {
				if a.Metrics.SpilledBytes > 0 {
					return partsOf(a)[offCPU]
				}
				return 0
			})
		}, func(st *stageEvidence) string {
			var t StageTime
			t.sum(st.list)
			return fmt.Sprintf("%s spilled %s to disk", page.Capital(st.Name), units.Bytes(t.SpilledBytes))
		})
}

// collection is the rule of garbage collection.
func (e *evidence) collection() finding {
	part := func(a *dag.Attempt) time.Duration { return partsOf(a)[garbageCollection] }
	return e.find("gc", "More memory for the executors, or fewer objects,",
		func(st *stageEvidence) remedy { return st.without(part) },
		func(st *stageEvidence) string {
			return fmt.Sprintf("Garbage collection was %s of the time of the tasks of %s",
				units.Percent(st.mean(part)/st.mean(lengthOf)), st.Name)
		})
}

// fewPartitions is the rule of stages with fewer tasks than cores.
func (e *evidence) fewPartitions() finding {
	return e.find("few_partitions", fmt.Sprintf("A partition for each of the %s", units.Count(e.cores, "core")),
		func(st *stageEvidence) remedy {
			n := st.Count()
			if n == 0 || n >= e.cores || st.Broadcast {
				return remedy{}
			}
			return st.split(e.cores, 0, time.Duration((1-float64(n)/float64(e.cores))*float64(st.onPath)))
		}, func(st *stageEvidence) string {
			return fmt.Sprintf("%s had %s for %s", page.Capital(st.Name), units.Count(st.Count(), "task"),
				units.Count(e.cores, "core"))
		})
}

const (
	// manyWaves is the least number of tasks for each core of a stage with too many tasks.
	manyWaves = 4
	// enough is how long a task should work, in seconds, so that its start does not matter.
	enough = 1.0
	// leastOver is the least share of what tasks need to start in the time of a stage with too many tasks.
	leastOver = 0.3
	// smallInput is the mean input of a task that reads small files, in bytes, and manyFiles the least number of them.
	smallInput = 1 << 20
	manyFiles  = 100
)

// manyPartitions is the rule of stages that read other stages in so many tasks that most of the time is their start.
func (e *evidence) manyPartitions() finding {
	return e.find("many_partitions", "Fewer partitions, as spark.sql.adaptive.coalescePartitions makes them,",
		func(st *stageEvidence) remedy {
			return e.merged(st, false, func(a *dag.Attempt) time.Duration {
				p := partsOf(a)
				return p[schedulerDelay] + p[deserialization] + p[resultTime]
			})
		}, func(st *stageEvidence) string {
			return fmt.Sprintf("%s had %s of %s, most of it start-up", page.Capital(st.Name),
				units.Count(st.Count(), "task"), units.Seconds(st.mean(lengthOf)))
		})
}

// smallFiles is the rule of stages that read little input in many tasks: all but their CPU's time is that of opening
// files and of starting tasks.
func (e *evidence) smallFiles() finding {
	return e.find("small_files", "Fewer and larger files, or a coalesce after reading,",
		func(st *stageEvidence) remedy {
			return e.merged(st, true, func(a *dag.Attempt) time.Duration {
				p := partsOf(a)
				return lengthOf(a) - p[cpuTime] - p[pythonTime]
			})
		}, func(st *stageEvidence) string {
			var t StageTime
			t.sum(st.list)
			return fmt.Sprintf("%s read %s in %s, %s each", page.Capital(st.Name), units.Bytes(t.InputBytes),
				units.Count(st.Count(), "task"), units.Seconds(st.mean(lengthOf)))
		})
}

// merged is the remedy that merges the tasks of a stage that reads little input, or reads other stages.
func (e *evidence) merged(st *stageEvidence, input bool, over func(*dag.Attempt) time.Duration) remedy {
	var t StageTime
	t.sum(st.list)
	n, mean, start := st.Count(), st.mean(lengthOf), st.mean(over)
	if n < manyWaves*e.cores || mean > enough || start < leastOver*mean || input != (t.InputBytes > 0) ||
		input && (n < manyFiles || t.InputBytes > smallInput*float64(len(st.list))) {
		return remedy{}
	}
	tasks := max(e.cores, int(float64(n)*(mean-start)/enough))
	return st.split(tasks, start, time.Duration(start/mean*float64(st.onPath)))
}

const (
	slowRatio = 1.5 // the least ratio of the median task of a slow node to that of the others
	slowTasks = 3   // the least number of tasks that show that a node is slow
)

// slowNode is the rule of a node whose tasks take longer than those of the others.
func (e *evidence) slowNode() (worst finding) {
	for node := range e.snap.Nodes {
		ratio := 0.0
		f := e.find("slow_node", "The pace of the others on that node", func(st *stageEvidence) remedy {
			var here, others []time.Duration
			on := map[int]bool{}
			for _, a := range st.list {
				switch {
				case a.State != dag.AttemptSucceeded:
				case int(a.Node) == node:
					here, on[int(a.Task)] = append(here, lengthOf(a)), true
				default:
					others = append(others, lengthOf(a))
				}
			}
			if len(here) < slowTasks || len(others) < slowTasks {
				return remedy{}
			}
			slices.Sort(here)
			slices.Sort(others)
			slow, usual := here[len(here)/2], others[len(others)/2]
			if float64(slow) < slowRatio*float64(usual) {
				return remedy{}
			}
			factor := float64(usual) / float64(slow)
			ratio = max(ratio, 1/factor)
			return remedy{time.Duration((1 - factor) * float64(st.onPath)), whatif.StageChange{Work: func(task int) float64 {
				if on[task] {
					return factor
				}
				return 1
			}}}
		}, func(*stageEvidence) string { return "" })
		if f.cost > worst.cost {
			worst = f
			worst.Summary = fmt.Sprintf("Tasks took %.1f times as long on %s as elsewhere", ratio, e.snap.Nodes[node].Name)
		}
	}
	return worst
}

// driver is the rule of pauses of the driver, in which no task runs.
func (e *evidence) driver() (f finding) {
	n, longest := 0, frame.Seconds(0)
	for _, p := range e.TimeAttribution.Parts {
		if p.Cause != "launch" && p.Cause != "broadcast" && p.Cause != "finish" {
			continue
		}
		length := p.EndSeconds - p.StartSeconds
		f.cost += length.Duration()
		if longest = max(longest, length); length >= 1 {
			n++
		}
	}
	if n == 0 {
		return f
	}
	f.Advice = Advice{
		Rule: "driver", Summary: fmt.Sprintf("No task ran for %s while the driver worked alone, for %s at a time",
			units.Seconds(f.cost.Seconds()), units.Seconds(longest)),
		Help: "Jobs in parallel threads, and less work in the driver,",
	}
	for k := range e.snap.Plan.Jobs[0].NumStages() {
		f.change.Stages = append(f.change.Stages, whatif.StageChange{Stage: k, NoPause: true})
	}
	return f
}

// copies is the rule of speculative copies that another attempt overtook. A replay has no copies, so it has no gain.
func (e *evidence) copies() (f finding) {
	n, wasted, all := 0, time.Duration(0), time.Duration(0)
	for k := range e.snap.Jobs[0].NumStages() {
		stage := &e.snap.Jobs[0].Stages[k]
		for i := range stage.Attempts {
			a := &stage.Attempts[i]
			if !a.Start.Known() || !a.End.Known() {
				continue
			}
			all += lengthOf(a)
			if a.Number > 0 && stage.Overtaken(i) {
				n, wasted = n+1, wasted+lengthOf(a)
			}
		}
	}
	if n == 0 {
		return f
	}
	f.cost = time.Duration(float64(wasted) / float64(all) * float64(e.length))
	f.Advice = Advice{
		Rule: "speculation", Summary: fmt.Sprintf("The first attempts were faster than %s, which used %s of the cores' time",
			units.Count(n, "speculative attempt"), units.Percent(wasted.Seconds()/all.Seconds())),
		Help: "A higher spark.speculation.multiplier",
	}
	return f
}

// fewCores is the rule of an application that keeps its cores busy with tasks that have no fault.
func (e *evidence) fewCores() (f finding) {
	busy := time.Duration(0)
	for _, st := range e.stages {
		busy += st.total
	}
	share := busy.Seconds() / (e.length.Seconds() * float64(max(e.cores, 1)))
	if share < 0.75 {
		return f
	}
	f.Advice = Advice{
		Rule: "few_cores", Summary: fmt.Sprintf("The %s worked %s of the time", units.Count(e.cores, "core"),
			units.Percent(min(share, 1))), Help: "Twice the cores",
	}
	f.cost, f.last = e.length/2, true
	f.change.Slots = []whatif.Slots{{Op: whatif.Times, N: 2}}
	return f
}
