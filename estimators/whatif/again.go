package whatif

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

// Past is a finished run that is to be replayed with changes: its duration, and the state before its submission with
// all costs that the run has shown.
type Past struct {
	Before dag.Run
	Took   time.Duration // from the first submission to the last job's end
	Lost   []Lost        // the attempts that failed or were killed, except those that a speculative copy beat
	Struck bool          // an attempt failed, or a node was lost
	// OthersMB is the peak memory in MB of other applications, from the snapshots of the run's window.
	OthersMB int
}

// Lost is an attempt that failed or was killed after it had occupied its slot for Held.
type Lost struct {
	Job    int
	Stage  dag.StageIndex
	Task   int
	Number int
	Held   time.Duration
}

// Again turns a finished run into one that is about to begin, with its jobs, its cluster, and the costs and pauses
// that it has shown (cost.Learn). ok is false if no job has run.
func Again(run dag.Run) (past Past, ok bool) {
	s := run.Now()
	plan := cost.Learn(run)
	before := &dag.Snapshot{
		Plan: plan, ID: s.ID, User: s.User, Queue: s.Queue, State: dag.Running, Stale: dag.NoInstant,
	}
	onlyMapReduce := plan.OnlyMapReduce()
	var taken [][][]float64
	if plan.Cluster.Policy == dag.Executors {
		taken = takenOnCores(plan, s)
		plan.Overheads.Cold = 0 // it is part of what the first tasks took
	}
	for j := range plan.Jobs {
		for k := range plan.Jobs[j].Stages {
			stage := &plan.Jobs[j].Stages[k]
			ok = ok || stage.Known
			switch {
			case taken != nil && !slices.Contains(taken[j][k], 0):
				takes(stage, dag.Each(taken[j][k]))
			case !onlyMapReduce:
				takes(stage, stage.Extent) // from the first start of a task with speculative copies
			case dag.StageIndex(k) == dag.Reduce:
				asTaken(stage, &s.Jobs[j], s.Plan.Cluster)
			default:
				longer(stage, earlierStarts(&s.Jobs[j].Stages[k], stage.Count()))
			}
		}
	}
	first, last := s.Origin(), dag.NoInstant
	for j := range s.Jobs {
		if t := s.Jobs[j].Finished; t.Known() {
			last = max(last, t)
		}
		past.lost(j, &s.Jobs[j])
	}
	if !first.Known() || last < first {
		return past, false
	}
	before.At, past.Took = first, last.Sub(first)
	past.inOrder(plan, s)
	before.Jobs = plan.BlockedJobs() // jobs have different numbers of stages, so their states must follow the new order
	for _, n := range s.Nodes {
		past.Struck = past.Struck || n.Lost && len(past.Lost) > 0
		n.Lost, n.LostAt = false, dag.NoInstant
		before.Nodes = append(before.Nodes, n)
	}
	for _, seen := range run.Window {
		held := 0
		for _, l := range seen.Load {
			held += l.HeldMB
		}
		past.OthersMB = max(past.OthersMB, held)
	}
	past.Before = dag.Run{}.Append(before)
	return past, ok
}

// asTaken gives each reduce its own measured work, from the end of its copy phase to its end. Later runs use a
// learned rate per byte, which does not fit a reducer with quadratic time; a replay of the same run can use the
// measured times.
//
// On the paper's cluster copy and sort are work as well, so the work is all time after the set-up.
func asTaken(p *dag.Stage, state *dag.JobState, c dag.Cluster) {
	work, earlier := make([]float64, p.Count()), earlierStarts(&state.Stages[dag.Reduce], p.Count())
	for i := range work {
		work[i] = math.NaN()
	}
	for i := range state.Stages[dag.Reduce].Attempts {
		a := &state.Stages[dag.Reduce].Attempts[i]
		from := a.CopyEnd
		if c.Policy == dag.FIFO {
			from = a.Start.Add(c.Setup)
		}
		if int(a.Task) < len(work) && a.State == dag.AttemptSucceeded && a.End.Known() && from.Known() {
			work[a.Task] = float64(max(a.End-from, 0)) + earlier[a.Task]
		}
	}
	takes(p, dag.Each(work))
}

// earlierStarts returns, by task, how many milliseconds the oldest attempt that was beaten by a speculative copy
// started before the successful attempt. A slow task and its copy occupy slots from the first start to the last end.
func earlierStarts(p *dag.StageState, n int) []float64 {
	earlier := make([]float64, n)
	won := map[int32]dag.Instant{} // the earliest start of a successful attempt
	for i := range p.Attempts {
		a := &p.Attempts[i]
		if at, ok := won[a.Task]; a.State == dag.AttemptSucceeded && a.Start.Known() && (!ok || a.Start < at) {
			won[a.Task] = a.Start
		}
	}
	for i := range p.Attempts {
		a := &p.Attempts[i]
		if at, ok := won[a.Task]; ok && a.Start.Known() && a.Start < at && int(a.Task) < n && p.Overtaken(i) {
			earlier[a.Task] = max(earlier[a.Task], float64(at-a.Start))
		}
	}
	return earlier
}

// longer adds records to maps, so that each takes longer by the time that its first attempt started earlier.
func longer(p *dag.Stage, earlier []float64) {
	if len(p.Pipelines) == 0 || !slices.ContainsFunc(earlier, func(ms float64) bool { return ms > 0 }) {
		return
	}
	pipes := slices.Clone(p.Pipelines)
	records := make([]float64, len(earlier))
	for i := range records {
		records[i] = pipes[0].Tuples.At(i)
		if alpha := pipes[0].Alpha.At(i); alpha > 0 {
			records[i] += earlier[i] / alpha
		}
	}
	pipes[0].Tuples, p.Pipelines = dag.Each(records), pipes
}

// takes sets the work of each task of a stage, in milliseconds, if it is known for all tasks.
func takes(p *dag.Stage, work dag.Series) {
	if !(work.Sum(p.Count()) > 0) {
		return // the work of a task is unknown, or all tasks took no time
	}
	none := dag.Pipeline{Tuples: dag.Uniform(0), Alpha: dag.Uniform(0)}
	p.Pipelines = []dag.Pipeline{{Tuples: work, Alpha: dag.Uniform(1)}}
	if p.Copies() {
		p.Pipelines = []dag.Pipeline{none, none, p.Pipelines[0]}
	}
	p.Bytes, p.Out, p.Groups = work, dag.Series{}, nil
}

// inOrder sorts the jobs by their submission. The engine chooses the order within a wave, and the scheduler serves
// jobs in that order. Ties keep the plan's order.
func (p *Past) inOrder(plan *dag.Plan, s *dag.Snapshot) {
	order := make([]int, len(plan.Jobs))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := s.Jobs[a].Submitted, s.Jobs[b].Submitted
		switch {
		case x.Known() && y.Known():
			return cmp.Or(cmp.Compare(x, y), strings.Compare(s.Jobs[a].ID, s.Jobs[b].ID))
		case x.Known():
			return -1
		case y.Known():
			return 1
		}
		return 0
	})
	jobs, at := make([]dag.Job, len(order)), make([]int, len(order))
	for i, j := range order {
		jobs[i], at[j] = plan.Jobs[j], i
	}
	for i := range jobs {
		after := slices.Clone(jobs[i].After)
		for n, a := range after {
			after[n] = at[a]
		}
		jobs[i].After = after
	}
	plan.Jobs = jobs
	for i := range p.Lost {
		p.Lost[i].Job = at[p.Lost[i].Job]
	}
}

func (p *Past) lost(j int, js *dag.JobState) {
	for k := range js.NumStages() {
		for i := range js.Stages[k].Attempts {
			a := &js.Stages[k].Attempts[i]
			p.Struck = p.Struck || a.State == dag.AttemptFailed
			if (a.State == dag.AttemptFailed || a.State == dag.AttemptKilled) && a.Start.Known() && a.End.Known() &&
				a.End >= a.Start && !js.Stages[k].Overtaken(i) {
				p.Lost = append(p.Lost, Lost{
					Job: j, Stage: k, Task: int(a.Task), Number: int(a.Number),
					Held: a.End.Sub(a.Start),
				})
			}
		}
	}
}
