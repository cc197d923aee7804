// Package compare compares runs of one script: which jobs took longer, because of more data or of more time per
// record, what else was on the critical path, and which changes exceed chance; as text, as JSON, as a page. It reads no
// files.
package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/whatif"
	"github.com/paratimer/paratimer/pathfrag"
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

	Plan   *dag.Plan    `json:"-"`
	Start  dag.Instant  `json:"-"` // the first submission; NoInstant if none was seen
	Length float64      `json:"-"` // from Start to the last job's end; NaN while it runs
	Jobs   []Job        `json:"-"` // parallel to Plan.Jobs
	Path   []Part       `json:"-"` // the critical path from Start to the end; nil if unknown
	Chart  *chart.Gantt `json:"-"` // nil if it is not drawn

	past  *whatif.Past // nil if it cannot be replayed
	model estimators.Model
}

// Circumstances are influences on a run that are neither its data nor its script's cost.
type Circumstances struct {
	Failed   int `json:"failed_attempts"`
	Repeated int `json:"repeated_attempts"` // attempts of tasks that had failed, or lost their output, before
	Restarts int `json:"restarted_masters"` // restarts of application masters
	Lost     int `json:"lost_nodes"`
	// Others is the mean fraction of the cluster's memory that other applications used during the run; NaN if
	// unknown.
	Others  units.Float `json:"others_ratio"`
	Cluster dag.Cluster `json:"-"`
}

// Struck reports whether anything in the run failed.
func (c *Circumstances) Struck() bool { return c.Failed+c.Repeated+c.Restarts+c.Lost > 0 }

// A Phase has the times of a stage's tasks, such as the maps of a job.
type Phase struct {
	Stage
	Took  []Took // of tasks that succeeded, by task
	reads bool
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

// A Collector describes a run from all its snapshots. The zero Collector has none.
type Collector struct {
	marks      pathfrag.Marks
	held       float64 // used by other applications, MB milliseconds
	from, last dag.Instant
	mb         int // used by them since the last snapshot
	most       int // largest memory of the cluster: nodes may be lost later
	seen       bool
	ended      bool
}

// See records a snapshot. Snapshots must come in order.
func (o *Collector) See(s *dag.Snapshot) {
	o.marks.See(s)
	if s.Stale.Known() || !s.Origin().Known() || o.ended {
		return
	}
	if !o.seen {
		o.seen, o.from, o.last = true, s.At, s.At
	}
	o.held += float64(o.mb) * float64(s.At-o.last)
	o.last, o.mb = s.At, 0
	o.ended = s.State.Ended() // usage after the end does not count
	if s.Plan != nil {
		o.most = max(o.most, s.Plan.Cluster.MemoryMB)
	}
	for i := range s.Load {
		o.mb += s.Load[i].HeldMB
	}
}

// Run describes the run, and keeps what a replay by a model needs. from is its file.
func (o *Collector) Run(from string, run dag.Run, model estimators.Model) (*Run, error) {
	s := run.Now()
	r := &Run{
		From: from, Script: s.Plan.Name, Plan: s.Plan, ID: frame.Text(s.ID), State: s.State, Start: s.Origin(),
		StartAt: frame.TimeOf(s.Origin()), Length: math.NaN(), Jobs: make([]Job, len(s.Jobs)), model: model,
	}
	o.circumstances(&r.Circumstances, s)
	works := cost.Works(run)
	for j := range s.Jobs {
		r.Jobs[j] = jobOf(&s.Plan.Jobs[j], &s.Jobs[j], works[j], &r.Circumstances)
		r.Circumstances.Restarts += max(s.Jobs[j].Attempt-1, 0)
	}
	if s.State.Ended() {
		r.Length = between(r.Start, s.LastEnd())
	}
	a, err := pathfrag.Attribute(s, &o.marks)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	r.follow(a, s)
	if past, ok := whatif.Again(run); ok && r.Succeeded() {
		r.past = &past
	}
	return r, nil
}

// circumstances counts lost nodes, and measures what other applications used during the run.
func (o *Collector) circumstances(c *Circumstances, s *dag.Snapshot) {
	c.Others, c.Cluster = unknown, s.Plan.Cluster
	if c.Cluster.MemoryMB = max(c.Cluster.MemoryMB, o.most); c.Cluster.MemoryMB > 0 && o.last > o.from {
		c.Others = units.Float(*frame.RatioOf(o.held / float64(o.last-o.from) / float64(c.Cluster.MemoryMB)))
	}
	for _, n := range s.Nodes {
		if n.Lost {
			c.Lost++
		}
	}
}

// repeats reports whether an attempt is of a task that had failed, or lost its output, before it began. Without the
// failure it would not exist. A speculative attempt, which overlaps another one, does not repeat.
func repeats(attempts []dag.Attempt, i int) bool {
	if i < 1 {
		return false
	}
	a, before := &attempts[i], &attempts[i-1]
	return before.Task == a.Task && a.Start.Known() && before.End.Known() && before.End <= a.Start
}

func jobOf(plan *dag.Job, s *dag.JobState, works []map[int]float64, c *Circumstances) Job {
	job, first := Job{LengthSeconds: seconds(between(s.Submitted, s.Finished))}, dag.NoInstant
	for k := range s.Stages {
		job.Phases = append(job.Phases, phaseOf(&plan.Stages[k], &s.Stages[k], works[k]))
		c.Failed += job.Phases[k].FailedAttempts
		for i, a := range s.Stages[k].Attempts {
			if a.Start.Known() && (!first.Known() || a.Start < first) {
				first = a.Start
			}
			if repeats(s.Stages[k].Attempts, i) {
				c.Repeated++
			}
		}
	}
	job.WaitSeconds = seconds(between(s.Submitted, first))
	return job
}

// phaseOf describes a stage. works has its tasks' milliseconds of work. If a task succeeded twice, the first end
// counts: later attempts were not needed.
func phaseOf(plan *dag.Stage, s *dag.StageState, works map[int]float64) Phase {
	p := Phase{Stage: Stage{Name: plan.Name, Title: plan.Title}, reads: len(plan.After) > 0}
	if plan.Known {
		p.Tasks = new(plan.Tasks)
	}
	for a := range s.All() {
		switch {
		case a.State == dag.AttemptFailed:
			p.FailedAttempts++
		case a.State == dag.AttemptKilled && !s.Overtaken(a):
			p.KilledAttempts++
		}
		if a.State != dag.AttemptSucceeded || !a.Start.Known() || !a.End.Known() || a.End < a.Start {
			continue
		}
		t := Took{
			Task: int(a.Task), Start: a.Start, End: a.End, Length: float64(a.End - a.Start), Work: math.NaN(),
			Records: units.Positive(a.Done[dag.Copy]), Bytes: units.Positive(a.Bytes),
		}
		if ms, ok := works[t.Task]; ok {
			t.Work = ms
		}
		if plan.Copies() {
			t.Records = units.Positive(a.Done[dag.Work])
		}
		switch n := len(p.Took); {
		case n == 0 || p.Took[n-1].Task != t.Task:
			p.Took = append(p.Took, t)
		case t.End < p.Took[n-1].End:
			p.Took[n-1] = t
		}
	}
	return p
}

func between(from, to dag.Instant) float64 {
	if !from.Known() || !to.Known() || to < from {
		return math.NaN()
	}
	return float64(to - from)
}

// Stage returns the stage with a name; -1 if the job has none.
func (j *Job) Stage(name string) dag.StageIndex {
	return dag.StageIndex(slices.IndexFunc(j.Phases,
		func(p Phase) bool { return p.Name == name })) //nolint:gosec // an index
}

// Succeeded reports whether the run succeeded and its length is known.
func (r *Run) Succeeded() bool { return r.State == dag.Succeeded && r.Length > 0 }

// sum adds up a figure over the phase's tasks; NaN if it is unknown for a task, or if no task has run.
func (p *Phase) sum(of func(Took) float64) float64 {
	if len(p.Took) == 0 {
		return math.NaN()
	}
	total := 0.0
	for _, t := range p.Took {
		total += of(t)
	}
	return total
}

func lengthOf(t Took) float64  { return t.Length }
func workOf(t Took) float64    { return t.Work }
func recordsOf(t Took) float64 { return t.Records }
func bytesOf(t Took) float64   { return t.Bytes }

// each returns a figure of each task, without unknown ones.
func (p *Phase) each(of func(Took) float64) []float64 {
	return slices.DeleteFunc(units.Each(p.Took, of), math.IsNaN)
}

// task returns the times of a task; nil if it did not succeed.
func (p *Phase) task(index int) *Took {
	i, found := slices.BinarySearchFunc(p.Took, index, func(t Took, want int) int { return t.Task - want })
	if !found {
		return nil
	}
	return &p.Took[i]
}

// Median returns the median length of the phase's tasks in milliseconds; NaN if none has succeeded.
func (p *Phase) Median() float64 { return medianOf(p.each(lengthOf)) }

// Cost returns the phase's work per record in milliseconds; NaN if unknown.
func (p *Phase) Cost() float64 { return p.sum(workOf) / p.sum(recordsOf) }
