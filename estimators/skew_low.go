package estimators

// skewLow is the lower bound under data skew (section 3.3), made tight (docs/facts/paratimer.md P21): each reduce phase
// of the critical path at its best, and that no shorter than its longest task, and than all its work on all its slots.
// Algorithm 1 alone, skewLowAsPrinted, follows the shortest task that runs: beside a reduce of eight times the mean it
// says next to nothing. Both bound one phase on slots of its own; where phases share slots they may exceed the standard
// time, so they are clamped to that.
func skewLow(w *ReplayContext) (Estimate, error) { return w.lowest(true) }

// skewLowAsPrinted is the lower bound of Algorithm 1 as the paper prints it.
func skewLowAsPrinted(w *ReplayContext) (Estimate, error) { return w.lowest(false) }

func (w *ReplayContext) lowest(tight bool) (Estimate, error) {
	ms, err := w.standardMS()
	if err != nil {
		return Estimate{}, err
	}
	b, err := w.skewBounds(tight)
	if err != nil {
		return Estimate{}, err
	}
	return w.scenario(min(b.low, ms)), nil
}
