package runreport

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/skewness"
	"github.com/paratimer/paratimer/units"
)

// A Skew compares the tasks of each stage that reads other stages, such as the reduces of a job.
type Skew struct {
	Summary string    `json:"says"`
	Jobs    []SkewJob `json:"jobs"` // with two finished tasks or more, the most uneven first
}

// A SkewJob has the finished tasks of a stage, the longest first. It is uneven if one of them works much longer than
// the median one and had more input: a slow task alone is not skew.
type SkewJob struct {
	Job     string        `json:"job"`
	Stage   string        `json:"stage,omitempty"` // "": the reduces of a MapReduce job
	Uneven  bool          `json:"uneven"`
	Reduces []SkewReduce  `json:"reduces"` // at most MostSkewReduces: the longest
	All     int           `json:"all"`     // how many are finished
	Median  frame.Seconds `json:"median_seconds"`

	worst int // index in Reduces of the longest task that is skewed; 0 if none is
}

// word returns the word for a task of the stage: "reduce" or "task".
func (j *SkewJob) word() string {
	if j.Stage == "" {
		return "reduce"
	}
	return "task"
}

// A SkewReduce is a finished task with its input and its work time. Work begins at its start, or at the end of the
// last task that it waited for if that is later.
type SkewReduce struct {
	Task        int           `json:"task"`
	WorkSeconds frame.Seconds `json:"work_seconds"`
	Bytes       *float64      `json:"bytes"`
	Records     *float64      `json:"records"`
	ShareRatio  *frame.Ratio  `json:"share_ratio"`
}

// The most stages and tasks in a report.
const (
	MostSkewJobs    = 5
	MostSkewReduces = 40
)

// skewOf compares the stages that read others and have two finished tasks or more.
func skewOf(s *dag.Snapshot) Skew {
	out := Skew{Jobs: []SkewJob{}}
	for j := range s.Jobs {
		job := &s.Plan.Jobs[j]
		for k := range min(job.NumStages(), s.Jobs[j].NumStages()) {
			if !job.Stages[k].ReadsRecords() {
				continue
			}
			if done := finished(&s.Jobs[j], &job.Stages[k], k); len(done) >= 2 {
				out.Jobs = append(out.Jobs, skewJob(job, k, done))
			}
		}
	}
	excess := func(j *SkewJob) frame.Seconds { return j.Reduces[0].WorkSeconds - j.Median }
	slices.SortStableFunc(out.Jobs, func(a, b SkewJob) int {
		return cmp.Or(order(b.Uneven)-order(a.Uneven), cmp.Compare(excess(&b), excess(&a)))
	})
	out.Jobs = out.Jobs[:min(len(out.Jobs), MostSkewJobs)]
	out.Summary = out.summary()
	return out
}

// The sizes of a task's input.
const (
	inBytes = iota
	inRecords
)

// A task is a finished task; sizes are NaN if not reported.
type task struct {
	index int
	work  time.Duration
	sizes [2]float64
}

// finished returns the finished tasks of stage k of a job, the longest first.
func finished(j *dag.JobState, stage *dag.Stage, k dag.StageIndex) (out []task) {
	input := dag.NoInstant // end of the last task that these waited for
	for _, e := range stage.After {
		if e.Kind != dag.Pipelined && e.Kind != dag.OneToOne {
			for i := range j.Stages[e.From].Attempts {
				if a := &j.Stages[e.From].Attempts[i]; a.State == dag.AttemptSucceeded {
					input = max(input, a.End)
				}
			}
		}
	}
	dag.EachTask(j.Stages[k].Attempts, func(index int, state dag.TaskState, a *dag.Attempt) {
		if state != dag.TaskDone || !a.Start.Known() || !a.End.Known() {
			return
		}
		read := a.Done[dag.Work]
		if math.IsNaN(read) {
			read = a.Done[dag.Copy]
		}
		out = append(out, task{
			index, max(a.End.Sub(max(a.Start, input)), 0), [2]float64{inBytes: a.Bytes, inRecords: read},
		})
	})
	slices.SortStableFunc(out, func(a, b task) int { return cmp.Compare(b.work, a.work) })
	return out
}

// spread returns the sum and the lower median of a size; NaN if one is unknown.
func spread(done []task, size int) (sum, median float64) {
	all := make([]float64, len(done))
	for i := range done {
		all[i] = done[i].sizes[size]
		sum += all[i]
	}
	if math.IsNaN(sum) {
		return sum, sum
	}
	slices.Sort(all)
	return sum, all[(len(all)-1)/2]
}

// skewJob applies the rule of package skewness. Sizes are bytes if all tasks reported them, else records. Of other
// engines than MapReduce records come first: Tez writes a repeated key once, so bytes hide a key that has many records
// (docs/facts/tez.md T4).
func skewJob(job *dag.Job, k dag.StageIndex, done []task) SkewJob {
	median := done[len(done)/2].work
	j := SkewJob{Job: job.Node, All: len(done), Median: frame.SecondsOf(median)}
	size := inBytes
	if !job.IsMapReduce() {
		j.Stage, size = job.Stages[k].Name, inRecords
	}
	shown := size == inBytes
	if total, _ := spread(done, inRecords); math.IsNaN(total) {
		shown = true // bytes are all there is
	}
	if total, _ := spread(done, size); !(total > 0) {
		size = inBytes + inRecords - size
	}
	all, middle := spread(done, size)
	for i, t := range done {
		if i < MostSkewReduces {
			r := SkewReduce{
				Task: t.index, WorkSeconds: frame.SecondsOf(t.work), Records: units.Rounded(t.sizes[inRecords]),
				ShareRatio: frame.RatioOf(t.sizes[size] / all),
			}
			if shown {
				r.Bytes = units.Rounded(t.sizes[inBytes])
			}
			j.Reduces = append(j.Reduces, r)
		}
		if !j.Uneven && skewness.WorksLong(t.work, median) &&
			skewness.GivenMore(t.sizes[size], middle, t.work, median) {
			if j.Uneven = true; i < MostSkewReduces {
				j.worst = i
			}
		}
	}
	return j
}

// summary returns the sentence for the most uneven tasks that read other stages.
func (s *Skew) summary() string {
	if len(s.Jobs) == 0 {
		return "No stage that reads others has two finished tasks to compare."
	}
	worst := &s.Jobs[0]
	top, of := &worst.Reduces[worst.worst], view.Escape(cmp.Or(worst.Stage, worst.Job))
	text := fmt.Sprintf("%s %d of %s worked %s (median %s)", page.Capital(worst.word()), top.Task, of,
		units.Seconds(top.WorkSeconds), units.Seconds(worst.Median))
	if top.ShareRatio != nil {
		text += fmt.Sprintf(" on %s of the input of all %d", units.Percent(*top.ShareRatio), worst.All)
	}
	switch {
	case worst.Uneven:
		return text + "."
	case skewness.WorksLong(top.WorkSeconds.Duration(), worst.Median.Duration()):
		return text + ": slow, but its input does not explain it."
	}
	return text + ": no skew."
}
