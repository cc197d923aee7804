package estimators

// skewLow is the lower bound under data skew (section 3.3): each reduce phase of the critical path at its best. Algorithm 1 bounds
// one phase on slots of its own; where phases share slots it may exceed the standard time, so it is clamped to that.
func skewLow(w *World) (Estimate, error) {
	ms, err := w.standardMS()
	if err != nil {
		return Estimate{}, err
	}
	b, err := w.skewBounds(w.options.TightLow)
	if err != nil {
		return Estimate{}, err
	}
	return w.scenario(min(b.low, ms)), nil
}
