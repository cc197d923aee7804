// Package compare sets runs of one script side by side: which jobs took longer, because there was more data or because
// each record took longer, what else lay on the critical path, and which of it cannot be chance. It reads no files;
// compareview words what it finds.
package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/whatif"
)

// A Run is one run of a script, as it stood when it was last seen. Times are milliseconds; NaN is unknown.
type Run struct {
	From   string // the file
	Plan   *dag.Plan
	ID     string
	State  dag.State
	Start  dag.Instant // the first submission; NoInstant where none was seen
	Length float64     // from there to the last job's end; NaN while it runs
	Jobs   []Job       // parallel to Plan.Jobs
	Path   []Part      // the critical path from Start to the end; nil where it is not known

	Circumstances Circumstances
	past          *whatif.Past // nil where it cannot be replayed
	model         estimators.Model
}

// A Job is what a job of a run took.
type Job struct {
	Wait   float64 // from its submission to its first task's start
	Length float64 // from its submission to its end
	Phases []Phase // by stage
	// doubtful has, by a stage's name in the newest run, other phases that it could as well be.
	doubtful map[string][]int
}

// A Phase is what the tasks of a stage took, such as the maps of a job.
type Phase struct {
	Name   string // the stage's; after Compare as in the newest run that has the job
	Tasks  int    // as the plan says, -1 where it does not
	Took   []cost.Took
	Failed int // attempts that failed
	Killed int // attempts that were killed, without those that another attempt of their task overtook
	reads  bool
}

// A Part is a stretch of the critical path.
type Part struct {
	Job    int // index in Jobs; -1 between jobs
	Phase  dag.StageIndex
	Task   int // -1 where it is no task's
	Effect Effect
	Length float64
	Skew   bool // it is beyond what the median task of its stage takes
}

// Of describes a run by what was seen of it. Its path is added by who knows it.
func Of(from string, run dag.Run) *Run {
	s := run.Now()
	r := &Run{
		From: from, Plan: s.Plan, ID: s.ID, State: s.State, Start: s.Origin(), Length: math.NaN(),
		Jobs: make([]Job, len(s.Jobs)),
	}
	end := dag.NoInstant
	took := cost.TookOf(run)
	for j := range s.Jobs {
		r.Jobs[j] = jobOf(&s.Plan.Jobs[j], &s.Jobs[j], took[j])
		end = max(end, s.Jobs[j].Finished)
	}
	if s.State.Ended() {
		r.Length = between(r.Start, end)
	}
	r.circumstances(s)
	return r
}

func jobOf(plan *dag.Job, s *dag.JobState, took [][]cost.Took) Job {
	job := Job{Length: between(s.Submitted, s.Finished)}
	first := dag.NoInstant
	for k := range s.Stages {
		phase := Phase{Name: plan.Stages[k].Name, Tasks: -1, Took: took[k], reads: len(plan.Stages[k].After) > 0}
		if p := &plan.Stages[k]; p.Known {
			phase.Tasks = p.Tasks
		}
		for i := range s.Stages[k].Attempts {
			a := &s.Stages[k].Attempts[i]
			switch a.State {
			case dag.AttemptFailed:
				phase.Failed++
			case dag.AttemptKilled:
				if !s.Stages[k].Overtaken(i) {
					phase.Killed++
				}
			}
			if a.Start.Known() && (!first.Known() || a.Start < first) {
				first = a.Start
			}
		}
		job.Phases = append(job.Phases, phase)
	}
	job.Wait = between(s.Submitted, first)
	return job
}

// Stage finds a stage by its name, -1 where the job has none of it.
func (j *Job) Stage(name string) dag.StageIndex {
	return dag.StageIndex(slices.IndexFunc(j.Phases,
		func(p Phase) bool { return p.Name == name })) //nolint:gosec // an index
}

func between(from, to dag.Instant) float64 {
	if !from.Known() || !to.Known() || to < from {
		return math.NaN()
	}
	return float64(to - from)
}

// Succeeded says whether the run can stand for how long the script takes.
func (r *Run) Succeeded() bool { return r.State == dag.Succeeded && r.Length > 0 }

// InOrder sorts runs by their start, those without one first; runs that start together keep their order.
func InOrder(runs []*Run) {
	slices.SortStableFunc(runs, func(a, b *Run) int { return cmp.Compare(a.Start, b.Start) })
}

// sum adds one figure of the phase's tasks; NaN where a task does not tell it, or none has run.
func (p *Phase) sum(of func(*cost.Took) float64) float64 {
	if len(p.Took) == 0 {
		return math.NaN()
	}
	total := 0.0
	for i := range p.Took {
		total += of(&p.Took[i])
	}
	return total
}

func lengthOf(t *cost.Took) float64  { return t.Length }
func workOf(t *cost.Took) float64    { return t.Work }
func recordsOf(t *cost.Took) float64 { return t.Records }
func bytesOf(t *cost.Took) float64   { return t.Bytes }

// each is one figure of each task, without those that do not tell it.
func (p *Phase) each(of func(*cost.Took) float64) []float64 {
	var all []float64
	for i := range p.Took {
		if v := of(&p.Took[i]); !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	return all
}

// task finds what a task took; nil where it did not succeed.
func (p *Phase) task(index int) *cost.Took {
	i, found := slices.BinarySearchFunc(p.Took, index, func(t cost.Took, want int) int {
		return cmp.Compare(t.Task, want)
	})
	if !found {
		return nil
	}
	return &p.Took[i]
}

// Median is the median length of the phase's tasks, in milliseconds; NaN where none has succeeded.
func (p *Phase) Median() float64 { return medianOf(p.each(lengthOf)) }

// Records is how many the phase's tasks read; NaN where one does not tell.
func (p *Phase) Records() float64 { return p.sum(recordsOf) }

// Bytes is how many the phase's tasks read, or were shuffled to them; NaN where one does not tell.
func (p *Phase) Bytes() float64 { return p.sum(bytesOf) }

// Cost is the phase's work for each record in milliseconds; NaN where it is not known.
func (p *Phase) Cost() float64 { return p.sum(workOf) / p.sum(recordsOf) }

// Short says that the phase's tasks work so little that their cost cannot be told from their start-up.
func (p *Phase) Short() bool { return medianOf(p.each(workOf)) < leastWork }

// path says which jobs came onto the critical path, and which left it.
func (c *Comparison) path() {
	c.Path = PathChange{Before: c.onPath(c.Base), Now: c.onPath(c.Subject)}
	for _, row := range c.Path.Now {
		if !slices.Contains(c.Path.Before, row) {
			c.Path.Came = append(c.Path.Came, row)
		}
	}
	for _, row := range c.Path.Before {
		if !slices.Contains(c.Path.Now, row) {
			c.Path.Left = append(c.Path.Left, row)
		}
	}
}

// leastOnPath is how much of a run, as a part of its length, a job must take of the path to be named: the moment in
// which its last task ends after another's is no news.
const leastOnPath = 0.01

// onPath are the rows on a run's critical path, in its order.
func (c *Comparison) onPath(run int) (rows []int) {
	r := c.Runs[run]
	for _, p := range r.Path {
		if p.Job < 0 || r.onPath(p.Job) < leastOnPath*r.Length {
			continue
		}
		row := slices.IndexFunc(c.Rows, func(row Row) bool { return row.Index[run] == p.Job })
		if row >= 0 && !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	return rows
}
