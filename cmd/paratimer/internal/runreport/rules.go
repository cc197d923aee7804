package runreport

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

// lost returns the advice about lost executors. text names what failed.
func (e *evidence) lost(text string) *Advice {
	a := &Advice{
		Rule: "executor_lost", Summary: strings.TrimSuffix(text, "."),
		Help: "Keeping the executors (their logs say why they ended, often too little memory overhead)",
	}
	if e.Glance.FailureCost != nil {
		a.GainSeconds = &e.Glance.FailureCost.Seconds
	}
	return a
}

// skew is the rule of skewed keys.
func (e *evidence) skew() (f finding) {
	text := e.skewText()
	if text == "" {
		return f
	}
	s := &e.Skew[0]
	f.cost = s.DelaySeconds.Duration()
	if f.GainSeconds = &s.DelaySeconds; e.Limits.replay == nil { // the text has a number too
		f.GainSeconds = nil
		worst := &s.Worst[0]
		text = fmt.Sprintf("Task %d of %s was given more than others and worked %s, the median task %s", worst.Task,
			s.Stage, units.Seconds(worst.WorkSeconds), units.Seconds(s.MedianSeconds))
	}
	f.Advice = Advice{
		Rule: "skew", Stage: frame.Text(s.Stage), Summary: text, GainSeconds: f.GainSeconds,
		Help: "Splitting the largest keys (by a salt; in a join by spark.sql.adaptive.skewJoin.enabled)",
	}
	return f
}

// spillPace is the pace in bytes per second at which the slowest disk writes what is spilled and reads it again.
const spillPace = 20 << 20

// spill is the rule of stages that spilled to disk. At most their time off the CPU is due to it.
func (e *evidence) spill() finding {
	return e.find("spill", "More memory for each task, or more and smaller partitions,",
		func(st *stageEvidence) remedy {
			return st.without(func(a *dag.Attempt) time.Duration {
				most := time.Duration(float64(a.Metrics.SpilledBytes) / spillPace * float64(time.Second))
				return min(partsOf(a)[offCPU], most)
			})
		}, func(st *stageEvidence) string {
			return fmt.Sprintf("The tasks of %s spilled %s to disk", st.Label(), units.Bytes(st.counts.SpilledBytes))
		})
}

// collection is the rule of garbage collection.
func (e *evidence) collection() finding {
	part := func(a *dag.Attempt) time.Duration { return partsOf(a)[garbageCollection] }
	return e.find("gc", "More memory for the executors, or fewer objects,",
		func(st *stageEvidence) remedy { return st.without(part) },
		func(st *stageEvidence) string {
			return fmt.Sprintf("Garbage collection was %s of the time of the tasks of %s",
				units.Percent(st.mean(part)/st.mean(lengthOf)), st.Label())
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
			return fmt.Sprintf("There was only %s of %s for %s", units.Count(st.Count(), "task"), st.Label(),
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
			return fmt.Sprintf("The %s of %s took %s each, a large part of it start-up",
				units.Count(st.Count(), "task"), st.Label(), units.Seconds(st.mean(lengthOf)))
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
			return fmt.Sprintf("The %s of %s read %s and took %s each", units.Count(st.Count(), "task"), st.Label(),
				units.Bytes(st.counts.InputBytes), units.Seconds(st.mean(lengthOf)))
		})
}

// merged is the remedy that merges the tasks of a stage that reads little input, or reads other stages.
func (e *evidence) merged(st *stageEvidence, input bool, over func(*dag.Attempt) time.Duration) remedy {
	n, mean, start := st.Count(), st.mean(lengthOf), st.mean(over)
	if n < manyWaves*e.cores || mean > enough || start < leastOver*mean || input != (st.counts.InputBytes > 0) ||
		input && (n < manyFiles || st.counts.InputBytes > smallInput*float64(len(st.list))) {
		return remedy{}
	}
	tasks := max(e.cores, int(float64(n)*(mean-start)/enough))
	return st.split(tasks, start, time.Duration(start/mean*float64(st.onPath)))
}

const (
	slowRatio = 1.5 // the least ratio of the median task of a slow node to that of the others
	slowTasks = 3   // the least number of tasks that show that a node is slow
)

// slowNode is the rule of a node on which tasks take longer than on the others.
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
			work := func(task int) float64 {
				if on[task] {
					return factor
				}
				return 1
			}
			return remedy{time.Duration((1 - factor) * float64(st.onPath)), whatif.StageChange{Work: work}}
		}, func(*stageEvidence) string { return "" })
		if f.cost > worst.cost {
			worst = f
			worst.Stage, worst.Summary = nil, fmt.Sprintf("Tasks took %.1f times as long on %s as elsewhere", ratio,
				e.snap.Nodes[node].Name)
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
	for k, a := range e.snap.Jobs[0].All() {
		if !a.Start.Known() || !a.End.Known() {
			continue
		}
		all += lengthOf(a)
		if a.Number > 0 && e.snap.Jobs[0].Stages[k].Overtaken(a) {
			n, wasted = n+1, wasted+lengthOf(a)
		}
	}
	if n == 0 {
		return f
	}
	f.cost = time.Duration(float64(wasted) / float64(all) * float64(e.length))
	f.Advice = Advice{
		Rule: "speculation", Help: "A higher spark.speculation.multiplier",
		Summary: fmt.Sprintf("The first attempts were faster than %s, which used %s of the cores' time",
			units.Count(n, "speculative attempt"), units.Percent(wasted.Seconds()/all.Seconds())),
	}
	return f
}

// fewCores is the rule of an application that keeps its cores busy with tasks that have no fault.
func (e *evidence) fewCores() (f finding) {
	busy := time.Duration(0)
	for _, st := range e.stages {
		busy += st.total
	}
	share := busy.Seconds() / (e.length.Seconds() * float64(e.cores))
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
