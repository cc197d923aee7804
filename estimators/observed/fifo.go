package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// On the paper's cluster a reduce starts when all map outputs exist, so its copy is work like the rest
// (docs/facts/paratimer.md P6): the task is measured as a whole, a unit being a tuple of its last pipeline.

// tuples is how many tuples a reduce has in all, NaN where its reports do not tell.
func tuples(a *dag.Attempt) float64 {
	if a.State == dag.AttemptSucceeded && a.Done[dag.Work] > 0 {
		return a.Done[dag.Work]
	}
	if t := positive(a.Total[dag.Work]); !math.IsNaN(t) {
		return t
	}
	return positive(a.Total[dag.Copy])
}

func (m *Model) observeWhole(st *stat, a *dag.Attempt) {
	if a.State != dag.AttemptSucceeded || !a.End.Known() || !a.Start.Known() {
		return
	}
	work := max(0, float64(a.End-a.Start)-m.setup.of(a))
	st.finished++
	st.workMS += work
	st.units += zero(tuples(a))
	st.sample(a.Node, work, tuples(a))
	st.in += zero(a.Done[dag.Work])
	st.out += zero(a.Out)
}
