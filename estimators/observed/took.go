package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// Took is what a task that succeeded took.
type Took struct {
	Task    int
	Start   dag.Instant
	End     dag.Instant
	Length  float64 // milliseconds from its start to its end
	Work    float64 // milliseconds of it beyond start-up; of a reduce of YARN from the end of its copy. NaN unknown
	Records float64 // that it read; NaN unknown
	Bytes   float64 // read by a map, shuffled by a reduce; NaN unknown
}

// TookOf lists the tasks of each job of a run that succeeded, by job, kind (Map, Reduce) and index. Of a task that succeeded
// twice the first end counts: later attempts were not needed. A map's start-up is its own where its reports tell it, else that of the
// run's law (docs/facts/measured.md 4); so the work of a map that nobody saw running is an estimate.
func TookOf(run dag.Run) [][2][]Took {
	m := New(run, Options{learning: true})
	s := run.Now()
	out := make([][2][]Took, len(s.Jobs))
	for j := range s.Jobs {
		for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
			out[j][k] = m.took(k, s.Jobs[j].Phase(k))
		}
	}
	return out
}

func (m *Model) took(k dag.Kind, p *dag.PhaseState) (out []Took) {
	for i := range p.Attempts {
		a := &p.Attempts[i]
		if a.State != dag.AttemptSucceeded || !a.Start.Known() || !a.End.Known() || a.End < a.Start {
			continue
		}
		t := Took{Task: int(a.Task), Start: a.Start, End: a.End, Length: float64(a.End - a.Start), Work: m.worked(k, a), Records: positive(a.Done[0]), Bytes: positive(a.Bytes)}
		if k == dag.Reduce {
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
func (m *Model) worked(k dag.Kind, a *dag.Attempt) float64 {
	length := float64(a.End - a.Start)
	switch {
	case k == dag.Reduce && !m.fifo && a.CopyEnd.Known():
		return math.Max(0, float64(a.End-a.CopyEnd))
	case k == dag.Reduce && !m.fifo:
		return math.NaN()
	}
	up := m.setup.of(a)
	if own, told := m.startup(k, a, dag.NoInstant); told && !m.fifo {
		up = own
	}
	return math.Max(0, length-up)
}

// Match says which job of other each job of plan is, -1 for none, in the way in which a profile's jobs are recognised; the names of
// the scripts do not count. script says that most of them are: other is the same script, maybe an edited one.
func Match(plan, other *dag.Plan) (jobs []int, script bool) {
	same := *other
	same.Name = plan.Name
	m, n := matchPlan(plan, &same)
	return m.jobs, 2*n > len(plan.Jobs)
}
