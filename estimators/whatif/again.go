package whatif

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/schedule"
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
	first, last := s.Origin(), s.LastEnd()
	for j := range s.Jobs {
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
		past.OthersMB = max(past.OthersMB, seen.OthersMB())
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
	work, earlier := profiles.Blank(p.Count()), earlierStarts(&state.Stages[dag.Reduce], p.Count())
	for a := range state.Stages[dag.Reduce].All() {
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
	for a := range p.All() {
		if at, ok := won[a.Task]; a.State == dag.AttemptSucceeded && a.Start.Known() && (!ok || a.Start < at) {
			won[a.Task] = a.Start
		}
	}
	for a := range p.All() {
		if at, ok := won[a.Task]; ok && a.Start.Known() && a.Start < at && int(a.Task) < n && p.Overtaken(a) {
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
	submitted := func(j int) dag.Instant { // unknown ones come last
		if t := s.Jobs[j].Submitted; t.Known() {
			return t
		}
		return math.MaxInt64
	}
	order := taskcost.Order(len(plan.Jobs), func(a, b int) int {
		return cmp.Or(cmp.Compare(submitted(a), submitted(b)), strings.Compare(s.Jobs[a].ID, s.Jobs[b].ID))
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
	for k, a := range js.All() {
		p.Struck = p.Struck || a.State == dag.AttemptFailed
		if (a.State == dag.AttemptFailed || a.State == dag.AttemptKilled) && a.Start.Known() && a.End.Known() &&
			a.End >= a.Start && !js.Stages[k].Overtaken(a) {
			p.Lost = append(p.Lost, Lost{
				Job: j, Stage: k, Task: int(a.Task), Number: int(a.Number), Held: a.End.Sub(a.Start),
			})
		}
	}
}

// Of returns the predictor of a run that has not ended, or of one that has succeeded.
func Of(run dag.Run, model estimators.Model) (*Replay, error) {
	switch state := run.Now().State; {
	case !state.Ended():
		return NewReplay(run, model), nil
	case state != dag.Succeeded:
		return nil, errors.New("the run did not succeed")
	}
	past, ok := Again(run)
	if !ok {
		return nil, errors.New("no job has run in it: there is nothing to learn")
	}
	return NewReplayOf(past, model)
}

// NewReplayOf returns the predictor of a finished run. Its base is the real duration. The other answers scale that
// duration by the ratio of two replays, with and without the change. So the error of the replay cancels out.
func NewReplayOf(p Past, model estimators.Model) (*Replay, error) {
	r := NewReplay(p.Before, model)
	r.past = p
	w, err := r.clusterState(Change{})
	if err != nil {
		return nil, err
	}
	s, err := w.end(&r.lean)
	if err != nil {
		return nil, err
	}
	r.base = s.Remaining()
	return r, nil
}

// Took returns the length of a finished run, 0 for other runs.
func (r *Replay) Took() time.Duration { return r.past.Took }

// Miss returns how much longer the replay of a finished run is than the run, as a ratio of the run; NaN for other
// runs.
func (r *Replay) Miss() float64 {
	if r.past.Took <= 0 {
		return math.NaN()
	}
	return float64(r.base-r.past.Took) / float64(r.past.Took)
}

// mostMissed is the largest error of the replay of a finished run without a warning.
const mostMissed = 0.1

// Doubt returns a warning if the error of the replay makes every answer doubtful.
func (r *Replay) Doubt() (w dag.Warning, doubtful bool) {
	miss := r.Miss()
	if !(math.Abs(miss) > mostMissed) {
		return w, false
	}
	w = dag.Warningf(WarnBase,
		"time outside tasks changed the length of the run and is not modeled, so every answer has low confidence")
	if r.past.OthersMB > 0 {
		w.Text += fmt.Sprintf("; other applications used up to %d MB", r.past.OthersMB)
	}
	return w, true
}

// scaled scales a replayed duration by the ratio of the real run to the base's replay.
func (r *Replay) scaled(d time.Duration) time.Duration {
	if r.past.Took <= 0 || r.base <= 0 {
		return d
	}
	return time.Duration(math.Round(d.Seconds()*r.past.Took.Seconds()/r.base.Seconds()*1000)) * time.Millisecond
}

// again returns a fault that repeats past failures: the same attempts fail after the same time.
func again(lost []Lost) schedule.Fault {
	type key struct {
		job, task, number int
		kind              dag.StageIndex
	}
	held := make(map[key]time.Duration, len(lost))
	for _, l := range lost {
		held[key{l.Job, l.Task, l.Number, l.Stage}] = l.Held
	}
	return func(t schedule.Task, start, end dag.Instant) (dag.Instant, bool) {
		d, ok := held[key{t.Job, t.Index, t.Attempt, t.Stage}]
		return min(start.Add(d), end), ok
	}
}

// A taskRun is a finished attempt of a task in its slot.
type taskRun struct {
	*dag.Attempt
	job   int
	stage dag.StageIndex
}

// takenOnCores returns, by job, stage and task, how many milliseconds a successful attempt took its core: from the
// instant at which it could begin to its end. It could begin once its stage was submitted, and the task before it on
// that core and its input were complete. The driver of an overloaded machine needs time to start the next task, and the
// first tasks wait for executors; a replay of the same run needs that time as well. Tasks without such an attempt have
// 0.
func takenOnCores(plan *dag.Plan, s *dag.Snapshot) [][][]float64 {
	taken := make([][][]float64, len(s.Jobs))
	var all []taskRun
	for j := range s.Jobs {
		taken[j] = make([][]float64, len(s.Jobs[j].Stages))
		for k := range taken[j] {
			taken[j][k] = make([]float64, plan.Jobs[j].Stages[k].Count())
		}
		for k, a := range s.Jobs[j].All() {
			if a.Start.Known() && a.End.Known() {
				all = append(all, taskRun{a, j, k})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b taskRun) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Start, b.Start))
	})
	ends := endsOf(s)
	for i, a := range all {
		of := taken[a.job][a.stage]
		if a.State != dag.AttemptSucceeded || int(a.Task) >= len(of) {
			continue
		}
		since := s.Jobs[a.job].Stages[a.stage].Submitted
		if i > 0 && all[i-1].Slot == a.Slot && a.Slot >= 0 {
			since = max(since, all[i-1].End)
		}
		for _, e := range plan.Jobs[a.job].Stages[a.stage].After {
			if n, _ := slices.BinarySearch(ends[a.job][e.From], a.Start+1); n > 0 {
				since = max(since, ends[a.job][e.From][n-1])
			}
		}
		if s.Jobs[a.job].Stages[a.stage].Submitted <= 0 || since > a.Start {
			since = a.Start
		}
		of[a.Task] = float64(a.End - since)
	}
	for j := range taken {
		for k := range taken[j] {
			for i, ms := range earlierStarts(&s.Jobs[j].Stages[k], len(taken[j][k])) {
				taken[j][k][i] += ms
			}
		}
	}
	return taken
}

// endsOf returns the ends of successful attempts by job and stage, in ascending order.
func endsOf(s *dag.Snapshot) [][][]dag.Instant {
	ends := make([][][]dag.Instant, len(s.Jobs))
	for j := range s.Jobs {
		ends[j] = make([][]dag.Instant, len(s.Jobs[j].Stages))
		for k, a := range s.Jobs[j].All() {
			if a.State == dag.AttemptSucceeded && a.End.Known() {
				ends[j][k] = append(ends[j][k], a.End)
			}
		}
		for _, of := range ends[j] {
			slices.Sort(of)
		}
	}
	return ends
}
