package estimators

// skewHigh is the upper bound under data skew (section 3.3): each reduce phase of the critical path at its worst, and
// never less than the standard time (docs/facts/paratimer.md P21).
func skewHigh(w *ReplayContext) (Estimate, error) {
	ms, err := w.standardMS()
	if err != nil {
		return Estimate{}, err
	}
	b, err := w.skewBounds(true)
	if err != nil {
		return Estimate{}, err
	}
	return w.scenario(max(b.high, ms)), nil
}
