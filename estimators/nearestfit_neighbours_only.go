package estimators

// nearestFitNeighboursOnly is NearestFit with its nearest neighbours alone, for the ablation (section 8.6 of that
// paper).
func nearestFitNeighboursOnly(w *ReplayContext) (Estimate, error) {
	return w.inForm(FormNeighboursOnly)
}
