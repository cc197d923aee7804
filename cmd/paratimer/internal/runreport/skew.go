package runreport

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
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

// A reduced is a finished task.
type reduced struct {
	task           int
	work           time.Duration
	bytes, records float64
}

// skewOf compares the stages that read others and have two finished tasks or more.
func skewOf(s *dag.Snapshot) Skew {
	out := Skew{Jobs: []SkewJob{}}
	for j := range s.Jobs {
		job := &s.Plan.Jobs[j]
		for k := range min(job.NumStages(), s.Jobs[j].NumStages()) {
			if !job.Stages[k].ReadsRecords() {
				continue
			}
			done := reducesOf(&s.Jobs[j], &job.Stages[k], k)
			if len(done) < 2 {
				continue
			}
			if !job.IsMapReduce() {
				withoutBytes(done)
			}
			one := skewJob(done)
			if one.Job = job.Node; !job.IsMapReduce() {
				one.Stage = job.Stages[k].Name
			}
			out.Jobs = append(out.Jobs, one)
		}
	}
	slices.SortStableFunc(out.Jobs, func(a, b SkewJob) int { return cmp.Compare(b.excess(), a.excess()) })
	out.Jobs = out.Jobs[:min(len(out.Jobs), MostSkewJobs)]
	out.Summary = out.summary()
	return out
}

// excess returns how much longer than the median task the longest one works, in seconds. Uneven stages sort first.
func (j *SkewJob) excess() float64 {
	over := float64(j.Reduces[0].WorkSeconds - j.Median)
	if j.Uneven {
		over += 1e9
	}
	return over
}

// reducesOf returns the finished tasks of stage k of a job, the longest first.
func reducesOf(j *dag.JobState, stage *dag.Stage, k dag.StageIndex) []reduced {
	input := dag.NoInstant // end of the last task that these waited for
	for _, e := range stage.After {
		if e.Kind == dag.Pipelined || e.Kind == dag.OneToOne {
			continue
		}
		for i := range j.Stages[e.From].Attempts {
			if a := &j.Stages[e.From].Attempts[i]; a.State == dag.AttemptSucceeded {
				input = max(input, a.End)
			}
		}
	}
	var out []reduced
	for i := range j.Stages[k].Attempts {
		a := &j.Stages[k].Attempts[i]
		if a.State != dag.AttemptSucceeded || !a.Start.Known() || !a.End.Known() || len(out) > 0 &&
			out[len(out)-1].task == int(a.Task) {
			continue
		}
		out = append(out, reduced{int(a.Task), max(a.End.Sub(max(a.Start, input)), 0), a.Bytes, records(a)})
	}
	slices.SortStableFunc(out, func(a, b reduced) int { return cmp.Compare(b.work, a.work) })
	return out
}

// withoutBytes drops the bytes if all tasks have reported records: Tez writes a repeated key once, so bytes hide a
// key that has many records (docs/facts/tez.md T4).
func withoutBytes(done []reduced) {
	if math.IsNaN(total(done, func(r *reduced) float64 { return r.records })) {
		return
	}
	for i := range done {
		done[i].bytes = math.NaN()
	}
}

// records returns how many records a task has read; NaN if not reported.
func records(a *dag.Attempt) float64 {
	if v := a.Done[dag.Work]; !math.IsNaN(v) {
		return v
	}
	return a.Done[dag.Copy]
}

// TaskWord returns the word for a task of the stage: "reduce" or "task".
func (j *SkewJob) TaskWord() string {
	if j.Stage == "" {
		return "reduce"
	}
	return "task"
}

// skewJob applies the rule of estimators.Skew to tasks. Sizes are bytes if all tasks reported them, else records.
func skewJob(done []reduced) SkewJob {
	bytes := func(r *reduced) float64 { return r.bytes }
	records := func(r *reduced) float64 { return r.records }
	size := bytes
	if math.IsNaN(total(done, bytes)) || total(done, bytes) == 0 {
		size = records
	}
	all, middle, median := total(done, size), lowerMedian(done, size), done[len(done)/2].work
	j := SkewJob{All: len(done), Median: frame.SecondsOf(median)}
	for i := range done {
		r := &done[i]
		if !j.Uneven && skewness.WorksLong(r.work, median) && skewness.GivenMore(size(r), middle, r.work, median) {
			j.Uneven = true
			if i < MostSkewReduces {
				j.worst = i
			}
		}
		if i < MostSkewReduces {
			j.Reduces = append(j.Reduces, SkewReduce{
				Task: r.task, WorkSeconds: frame.SecondsOf(r.work), Bytes: units.Rounded(r.bytes),
				Records:    units.Rounded(r.records),
				ShareRatio: frame.RatioOf(size(r) / all),
			})
		}
	}
	return j
}

func total(done []reduced, of func(*reduced) float64) (sum float64) {
	for i := range done {
		sum += of(&done[i])
	}
	return sum
}

// lowerMedian returns the lower median; NaN if any value is.
func lowerMedian(done []reduced, of func(*reduced) float64) float64 {
	if math.IsNaN(total(done, of)) {
		return math.NaN()
	}
	all := make([]float64, len(done))
	for i := range done {
		all[i] = of(&done[i])
	}
	slices.Sort(all)
	return all[(len(all)-1)/2]
}
