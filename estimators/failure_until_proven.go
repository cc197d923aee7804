package estimators

import "github.com/paratimer/paratimer/dag"

// failureUntilProven is the paper's FailureEstimate (section 4.3): a worst failure is expected until one has been seen;
// then nothing more is expected for the remainder of that job's pipeline.
func failureUntilProven(w *ReplayContext) (Estimate, error) {
	ms, err := w.standardMS()
	if err != nil {
		return Estimate{}, err
	}
	failures := 0
	if !w.hold() {
		failures = 1
		ms += w.worstMS(1)
	}
	return w.supposing(failures, w.scenario(ms)), nil
}

// hold says whether some job's phase in which an attempt has failed is not done (docs/facts/paratimer.md P18). It
// follows from the snapshot's list of failures alone.
func (w *ReplayContext) hold() bool {
	held := false
	w.eachPhase(func(_ int, _ dag.StageIndex, p *phase) {
		held = held || p.Failed && p.left() > 0
	})
	return held
}
