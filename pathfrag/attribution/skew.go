package attribution

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A task that reads other stages is skewed if it exceeds the median working time by both of these, and received
// more input, as for estimators.Skew.
const (
	skewRatio = 1.5
	skewLeast = 5 * time.Second
	skewSize  = 1.1
	skewPower = 3
)

// A middle is the median task of a stage.
type middle struct {
	work  time.Duration
	size  float64
	count int
}

// skew returns how much longer than the median task of its stage a task works after its input is complete; 0 if it
// is not skewed.
func (w *walker) skew(id int32, begin dag.Instant) time.Duration {
	x := &w.all[id]
	m := w.middle(x)
	work := w.at.Sub(begin)
	if m.count < 2 || work < m.work+skewLeast || float64(work) < skewRatio*float64(m.work) {
		return 0
	}
	size := w.sizeOf(x) // neither is NaN
	explains := math.Pow(size/m.size, skewPower) * float64(max(m.work, time.Second))
	if size < skewSize*m.size || float64(work) > explains {
		return 0
	}
	return work - m.work
}

// middle returns the lower medians over the succeeded tasks of an attempt's stage.
func (w *walker) middle(x *attempt) middle {
	of := phaseOf{x.job, x.kind}
	if m, ok := w.medians[of]; ok {
		return m
	}
	var works []time.Duration
	var sizes []float64
	for _, id := range w.ended[x.job][x.kind] {
		a := &w.all[id]
		if a.State != dag.AttemptSucceeded || !a.Start.Known() {
			continue
		}
		begin, limit := a.Start, a.End
		if a.CopyEnd.Known() {
			limit = min(limit, a.CopyEnd)
		}
		if last := w.lastInput(a, limit); last >= 0 {
			begin = max(begin, w.all[last].End)
		}
		works = append(works, a.End.Sub(begin))
		sizes = append(sizes, w.sizeOf(a))
	}
	m := middle{count: len(works), size: math.NaN()}
	if m.count > 0 {
		slices.Sort(works)
		m.work = works[(len(works)-1)/2]
		if !slices.ContainsFunc(sizes, math.IsNaN) {
			slices.Sort(sizes)
			m.size = sizes[(len(sizes)-1)/2]
		}
	}
	w.medians[of] = m
	return m
}

// sizeOf returns the input of a task: bytes or, if they are not reported, records; NaN unknown. Outside MapReduce,
// records come first: Tez writes a repeated key once, so bytes hide a key that has many (docs/facts/tez.md T4).
func (w *walker) sizeOf(a *attempt) float64 {
	records := a.Done[dag.Work]
	if math.IsNaN(records) {
		records = a.Done[dag.Copy]
	}
	if math.IsNaN(a.Bytes) || !math.IsNaN(records) && !w.s.Plan.Jobs[a.job].IsMapReduce() {
		return records
	}
	return a.Bytes
}
