package estimators

// bestGuess is the paper's best guess under data skew (section 4.4): every task at its own size, handed out in the
// order that the scheduler is expected to take, which is the standard replay. Its Low and High are the bounds over
// every other order: the tighter lower bound and Algorithm 1's upper one.
func bestGuess(w *ReplayContext) (Estimate, error) {
	ms, err := w.standardMS()
	if err != nil {
		return Estimate{}, err
	}
	e := w.scenario(ms)
	if w.unknown() || w.ended() {
		return e, nil
	}
	b, err := w.skewBounds(true)
	if err != nil {
		return Estimate{}, err
	}
	low, high := duration(min(b.low, ms)), duration(max(b.high, ms))
	e.Low, e.High = &low, &high
	return e, nil
}
