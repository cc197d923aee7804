package compare

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

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
