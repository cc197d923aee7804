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

// Past is a finished run, to be run again: what it took, and the moment before its submission with all that it has
// shown.
type Past struct {
	Before dag.Run
	Took   time.Duration // from the first submission to the last job's end
	Lost   []Lost        // the attempts that failed or were killed, without those that a copy overtook
	Struck bool          // an attempt failed, or a node was lost
	// OthersMB is the most memory that other applications held at once, as far as the run's window tells.
	OthersMB int
}

// Lost is an attempt that failed, or was killed, after it had held its slot for Held.
type Lost struct {
	Job    int
	Stage  dag.StageIndex
	Task   int
	Number int
	Held   time.Duration
}

// Again makes a run that has ended one that is about to begin: its jobs, its cluster, and the costs and pauses that it
// has shown (cost.Learn). ok is false where no job has run in it.
func Again(run dag.Run) (past Past, ok bool) {
	s := run.Now()
	plan := cost.Learn(run)
	before := &dag.Snapshot{
		Plan: plan, ID: s.ID, User: s.User, Queue: s.Queue, State: dag.Running, Stale: dag.NoInstant,
	}
	onlyMapReduce := plan.OnlyMapReduce()
	for j := range plan.Jobs {
		for k := range plan.Jobs[j].Stages {
			stage := &plan.Jobs[j].Stages[k]
			ok = ok || stage.Known
			switch {
			case !onlyMapReduce:
				takes(stage, stage.Extent) // from the first start of a task that was copied
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
	before.Jobs = plan.BlockedJobs() // jobs have unlike numbers of stages: their states follow the new order
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

// asTaken gives each reduce the work that it had, from the end of its copy to its own. What is learned for later runs
// is a rate for a byte, of which a reducer that takes the square of its group knows nothing; the run itself may be
// taken at its word.
//
// On the paper's cluster copy and sort are work as well: all that a reduce takes beyond its set-up is.
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

// earlierStarts is, by task, how much earlier than the attempt that succeeded one began that it overtook, in
// milliseconds: a slow task and its copy hold a slot from the first one's start to the end of the other.
func earlierStarts(p *dag.StageState, n int) []float64 {
	earlier := make([]float64, n)
	won := map[int32]dag.Instant{} // the first start of the attempts that succeeded
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

// longer gives maps so many more records that they take as much longer as they began earlier.
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

// takes gives each task of a stage its work in milliseconds, if it is known of all.
func takes(p *dag.Stage, work dag.Series) {
	if !(work.Sum(p.Count()) > 0) {
		return // one did not tell, or all took no time
	}
	none := dag.Pipeline{Tuples: dag.Uniform(0), Alpha: dag.Uniform(0)}
	p.Pipelines = []dag.Pipeline{{Tuples: work, Alpha: dag.Uniform(1)}}
	if p.Copies() {
		p.Pipelines = []dag.Pipeline{none, none, p.Pipelines[0]}
	}
	p.Bytes, p.Out, p.Groups = work, dag.Series{}, nil
}

// inOrder puts jobs in the order in which they were submitted: of a wave, the engine chooses one, and the scheduler
// serves them by it. Plan order breaks ties.
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
