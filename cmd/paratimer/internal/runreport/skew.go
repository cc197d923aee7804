package runreport

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/units"
)

// A Skew is how the reduces of jobs compare.
type Skew struct {
	Summary string    `json:"says"`
	Jobs    []SkewJob `json:"jobs"` // those with two reduces or more, the most uneven first, at most MostSkewJobs
}

// A SkewJob is the reduces of a job that are done, the longest first. It is uneven where one of them works much longer
// than the median one and was given more: a slow one alone is not skew.
type SkewJob struct {
	Job     string        `json:"job"`
	Uneven  bool          `json:"uneven"`
	Reduces []SkewReduce  `json:"reduces"` // at most MostSkewReduces: the longest
	All     int           `json:"all"`     // that are done
	Median  frame.Seconds `json:"median_seconds"`
}

// A SkewReduce is a reduce that is done: how long it worked, from its start or from the last map's end where that is
// later, and what it was given.
type SkewReduce struct {
	Task        int           `json:"task"`
	WorkSeconds frame.Seconds `json:"work_seconds"`
	Bytes       *float64      `json:"bytes"`
	Records     *float64      `json:"records"`
	ShareRatio  *frame.Ratio  `json:"share_ratio"`
}

// Bounds of what is told of reduces.
const (
	MostSkewJobs    = 5
	MostSkewReduces = 40
)

// A reduced is a reduce that is done.
type reduced struct {
	task           int
	work           time.Duration
	bytes, records float64
}

// skewOf tells of the jobs with two reduces or more that are done.
func skewOf(s *dag.Snapshot) Skew {
	out := Skew{Jobs: []SkewJob{}}
	for j := range s.Jobs {
		if !s.Plan.Jobs[j].IsMapReduce() {
			continue
		}
		if done := reducesOf(&s.Jobs[j]); len(done) > 1 {
			out.Jobs = append(out.Jobs, skewJob(s.Plan.Jobs[j].Node, done))
		}
	}
	slices.SortStableFunc(out.Jobs, func(a, b SkewJob) int { return cmp.Compare(b.excess(), a.excess()) })
	out.Jobs = out.Jobs[:min(len(out.Jobs), MostSkewJobs)]
	out.Summary = out.summary()
	return out
}

// excess is how much longer than the median reduce the longest one works; of a job that is uneven it counts first.
func (j *SkewJob) excess() float64 {
	over := float64(j.Reduces[0].WorkSeconds - j.Median)
	if j.Uneven {
		over += 1e9
	}
	return over
}

// reducesOf are the reduces of a job that are done, the longest first.
func reducesOf(j *dag.JobState) []reduced {
	maps := dag.NoInstant
	for i := range j.Stages[dag.Map].Attempts {
		if a := &j.Stages[dag.Map].Attempts[i]; a.State == dag.AttemptSucceeded {
			maps = max(maps, a.End)
		}
	}
	var out []reduced
	for i := range j.Stages[dag.Reduce].Attempts {
		a := &j.Stages[dag.Reduce].Attempts[i]
		if a.State != dag.AttemptSucceeded || !a.Start.Known() || !a.End.Known() || len(out) > 0 &&
			out[len(out)-1].task == int(a.Task) {
			continue
		}
		out = append(out, reduced{int(a.Task), max(a.End.Sub(max(a.Start, maps)), 0), a.Bytes, a.Done[dag.Work]})
	}
	slices.SortStableFunc(out, func(a, b reduced) int { return cmp.Compare(b.work, a.work) })
	return out
}

// skewJob judges reduces by the rule of estimators.Skew. Sizes are bytes, else records, where all have told them.
func skewJob(node string, done []reduced) SkewJob {
	bytes := func(r *reduced) float64 { return r.bytes }
	records := func(r *reduced) float64 { return r.records }
	size := bytes
	if math.IsNaN(total(done, bytes)) || total(done, bytes) == 0 {
		size = records
	}
	all, middle, median := total(done, size), lowerMedian(done, size), done[len(done)/2].work
	j := SkewJob{Job: node, All: len(done), Median: frame.SecondsOf(median)}
	for i := range done {
		r := &done[i]
		j.Uneven = j.Uneven || estimators.WorksLong(r.work, median) && estimators.GivenMore(size(r), middle)
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

// lowerMedian is NaN where one is.
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
