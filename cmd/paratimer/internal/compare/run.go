// Package compare compares runs of one script: which jobs took longer, because of more data or of more time per
// record, what else was on the critical path, and which changes exceed chance; as text, as JSON, as a page. It reads no
// files.
package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/units"
)

// A Run is one run of a script, in its last observed state. Fields without JSON are milliseconds; NaN is unknown.
type Run struct {
	From         string      `json:"from"` // the file
	Script       string      `json:"script"`
	ID           *string     `json:"id"`
	State        dag.State   `json:"state"`
	StartAt      *frame.Time `json:"start_at"`
	TotalSeconds units.Float `json:"total_seconds"` // null if it did not end
	Excluded     *string     `json:"excluded"`      // why its length is not a baseline

	Circumstances Circumstances `json:"circumstances"`

	Plan   *dag.Plan   `json:"-"`
	Start  dag.Instant `json:"-"` // the first submission; NoInstant if none was seen
	Length float64     `json:"-"` // from Start to the last job's end; NaN while it runs
	Jobs   []Job       `json:"-"` // parallel to Plan.Jobs
	Path   []Part      `json:"-"` // the critical path from Start to the end; nil if unknown

	past  *whatif.Past // nil if it cannot be replayed
	model estimators.Model
}

// A Job has the times of a job in a run.
type Job struct {
	Wait   float64 // from its submission to its first task's start
	Length float64 // from its submission to its end
	Phases []Phase // by stage
	// doubtful has, by a stage's name in the newest run, other phases that may also match it.
	doubtful map[string][]int
}

// A Phase has the times of a stage's tasks, such as the maps of a job.
type Phase struct {
	Name   string // of the stage; after Compare the name in the newest run that has the job
	Tasks  int    // from the plan; -1 unknown
	Took   []Took
	Failed int // attempts that failed
	Killed int // attempts that were killed, unless another attempt of their task had overtaken them
	reads  bool
}

// A Part is an interval of the critical path.
type Part struct {
	Job    int // index in Jobs; -1 between jobs
	Phase  dag.StageIndex
	Task   int // -1 if it belongs to no task
	Effect Effect
	Length float64
	Skew   bool // the time beyond the median task of its stage
}

// Of describes a run from its snapshots. Follow adds the critical path.
func Of(from string, run dag.Run) *Run {
	s := run.Now()
	r := &Run{
		From: from, Plan: s.Plan, ID: frame.Text(s.ID), State: s.State, Start: s.Origin(), Length: math.NaN(),
		Jobs: make([]Job, len(s.Jobs)),
	}
	end := dag.NoInstant
	works := cost.Works(run)
	for j := range s.Jobs {
		r.Jobs[j] = jobOf(&s.Plan.Jobs[j], &s.Jobs[j], works[j])
		end = max(end, s.Jobs[j].Finished)
	}
	if s.State.Ended() {
		r.Length = between(r.Start, end)
	}
	r.circumstances(s)
	return r
}

func jobOf(plan *dag.Job, s *dag.JobState, works []map[int]float64) Job {
	job := Job{Length: between(s.Submitted, s.Finished)}
	first := dag.NoInstant
	for k := range s.Stages {
		phase := Phase{Name: plan.Stages[k].Name, Tasks: -1, reads: len(plan.Stages[k].After) > 0}
		phase.Took = tookOf(s.Stages[k].Attempts, plan.Stages[k].Copies(), works[k])
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

// Stage returns the stage with a name; -1 if the job has none.
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

// Succeeded reports whether the run succeeded and its length is known.
func (r *Run) Succeeded() bool { return r.State == dag.Succeeded && r.Length > 0 }

// InOrder sorts runs by their start, those without one first. Runs with the same start keep their order.
func InOrder(runs []*Run) {
	slices.SortStableFunc(runs, func(a, b *Run) int { return cmp.Compare(a.Start, b.Start) })
}

// sum adds up a figure over the phase's tasks; NaN if it is unknown for a task, or if no task has run.
func (p *Phase) sum(of func(*Took) float64) float64 {
	if len(p.Took) == 0 {
		return math.NaN()
	}
	total := 0.0
	for i := range p.Took {
		total += of(&p.Took[i])
	}
	return total
}

func lengthOf(t *Took) float64  { return t.Length }
func workOf(t *Took) float64    { return t.Work }
func recordsOf(t *Took) float64 { return t.Records }
func bytesOf(t *Took) float64   { return t.Bytes }

// each returns a figure of each task, without unknown ones.
func (p *Phase) each(of func(*Took) float64) []float64 {
	var all []float64
	for i := range p.Took {
		if v := of(&p.Took[i]); !math.IsNaN(v) {
			all = append(all, v)
		}
	}
	return all
}

// task returns the times of a task; nil if it did not succeed.
func (p *Phase) task(index int) *Took {
	i, found := slices.BinarySearchFunc(p.Took, index, func(t Took, want int) int {
		return cmp.Compare(t.Task, want)
	})
	if !found {
		return nil
	}
	return &p.Took[i]
}

// Median returns the median length of the phase's tasks in milliseconds; NaN if none has succeeded.
func (p *Phase) Median() float64 { return medianOf(p.each(lengthOf)) }

// Cost returns the phase's work per record in milliseconds; NaN if unknown.
func (p *Phase) Cost() float64 { return p.sum(workOf) / p.sum(recordsOf) }

// path finds the jobs that came onto the critical path, and those that left it.
func (c *Comparison) path() {
	before, now := c.onPath(c.base), c.onPath(c.subject)
	without := func(all, others []string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(node string) bool { return slices.Contains(others, node) })
	}
	c.CriticalPath = Path{Before: before, Now: now, Came: without(now, before), Left: without(before, now)}
}

// leastOnPath is the smallest fraction of a run's length on the path for which a job is named. It excludes jobs
// that only ended a moment after another one.
const leastOnPath = 0.01

// onPath returns the jobs on a run's critical path, in its order.
func (c *Comparison) onPath(run int) []string {
	r, nodes := c.Runs[run], []string{}
	for _, p := range r.Path {
		if p.Job < 0 || r.onPath(p.Job) < leastOnPath*r.Length {
			continue
		}
		row := slices.IndexFunc(c.Jobs, func(row Row) bool { return row.index[run] == p.Job })
		if row >= 0 && !slices.Contains(nodes, c.Jobs[row].Node) {
			nodes = append(nodes, c.Jobs[row].Node)
		}
	}
	return nodes
}

// Took is the time, the records and the bytes of a task that succeeded.
type Took struct {
	Task    int
	Start   dag.Instant
	End     dag.Instant
	Length  float64 // milliseconds from its start to its end
	Work    float64 // milliseconds without start-up and without the wait for its input; NaN: unknown
	Records float64 // records read; NaN: unknown
	Bytes   float64 // bytes read, or shuffled by a task that copies; NaN: unknown
}

// tookOf lists the tasks of a stage that succeeded. work has their milliseconds of work. If a task succeeded twice, the
// first end counts: later attempts were not needed.
func tookOf(attempts []dag.Attempt, copies bool, work map[int]float64) (out []Took) {
	for i := range attempts {
		a := &attempts[i]
		if a.State != dag.AttemptSucceeded || !a.Start.Known() || !a.End.Known() || a.End < a.Start {
			continue
		}
		t := Took{
			Task: int(a.Task), Start: a.Start, End: a.End, Length: float64(a.End - a.Start), Work: math.NaN(),
			Records: positive(a.Done[dag.Copy]), Bytes: positive(a.Bytes),
		}
		if ms, ok := work[t.Task]; ok {
			t.Work = ms
		}
		if copies {
			t.Records = positive(a.Done[dag.Work])
		}
		switch n := len(out); {
		case n == 0 || out[n-1].Task != t.Task:
			out = append(out, t)
		case t.End < out[n-1].End:
			out[n-1] = t
		}
	}
	return out
}

// positive returns v if it is above 0 and finite, else NaN.
func positive(v float64) float64 {
	if v > 0 && !math.IsInf(v, 0) {
		return v
	}
	return math.NaN()
}
