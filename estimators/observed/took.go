package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

// Took is what a task that succeeded took.
type Took struct {
	Task    int
	Start   dag.Instant
	End     dag.Instant
	Length  float64 // milliseconds from its start to its end
	Work    float64 // milliseconds of it beyond start-up; of a task that copies from the end of its copy. NaN unknown
	Records float64 // that it read; NaN unknown
	Bytes   float64 // read, or shuffled by a task that copies; NaN unknown
}

// TookOf lists the tasks of each job of a run that succeeded, by job, stage and index. Of a task that succeeded twice
// the first end counts: later attempts were not needed. A map's start-up is its own where its reports tell it, else
// that of the run's law (docs/facts/measured.md 4); so the work of a map that nobody saw running is an estimate. In a
// plan with other stages than maps and reduces, work is what the cost law of its engine takes for it.
func TookOf(run dag.Run) [][][]Took {
	s := run.Now()
	out := make([][][]Took, len(s.Jobs))
	var m *Model
	var worked [][]map[int]float64
	if s.Plan.OnlyMapReduce() {
		m = New(run, Options{learning: true})
	} else {
		worked = cost.Worked(run)
	}
	for j := range s.Jobs {
		out[j] = make([][]Took, len(s.Jobs[j].Stages))
		for k := range s.Jobs[j].NumStages() {
			list, copies := s.Jobs[j].Stages[k].Attempts, s.Plan.Jobs[j].Stages[k].Copies()
			if m != nil {
				out[j][k] = took(list, copies, func(a *dag.Attempt) float64 { return m.worked(k, a) })
				continue
			}
			out[j][k] = took(list, copies, func(a *dag.Attempt) float64 { return worked[j][k][int(a.Task)] })
		}
	}
	return out
}

// took lists the tasks of a stage that succeeded.
func took(attempts []dag.Attempt, copies bool, worked func(a *dag.Attempt) float64) (out []Took) {
	for i := range attempts {
		a := &attempts[i]
		if a.State != dag.AttemptSucceeded || !a.Start.Known() || !a.End.Known() || a.End < a.Start {
			continue
		}
		t := Took{
			Task: int(a.Task), Start: a.Start, End: a.End, Length: float64(a.End - a.Start), Work: worked(a),
			Records: positive(a.Done[0]), Bytes: positive(a.Bytes),
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

// worked is how long an attempt that succeeded worked, in milliseconds.
func (m *Model) worked(k dag.StageIndex, a *dag.Attempt) float64 {
	length := float64(a.End - a.Start)
	switch {
	case k == dag.Reduce && !m.fifo && a.CopyEnd.Known():
		return math.Max(0, float64(a.End-a.CopyEnd))
	case k == dag.Reduce && !m.fifo:
		return math.NaN()
	}
	up := m.setup.of(a)
	if own, reported := m.startup(k, a, dag.NoInstant); reported && !m.fifo {
		up = own
	}
	return math.Max(0, length-up)
}
