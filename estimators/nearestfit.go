package estimators

// nearestFit is the theoretical form of NearestFit: every key of a job's reduces is known with its size (Coppa and
// Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015).
func nearestFit(w *ReplayContext) (Estimate, error) { return w.inForm(FormTheory) }

// nearestFitCounters is NearestFit without a tap. The counters of a reduce between two reports count as a burst of
// groups of their mean size. It is the weakest form, but available for any job.
func nearestFitCounters(w *ReplayContext) (Estimate, error) { return w.inForm(FormCounters) }

// nearestFitStream is the streaming form of NearestFit: each map reports its largest keys, the rest is known as
// bytes. paratimer-tap measures them.
func nearestFitStream(w *ReplayContext) (Estimate, error) { return w.inForm(FormStream) }

// nearestFitFitOnly is NearestFit with only its fitted curves, for the ablation (section 8.6 of that paper).
func nearestFitFitOnly(w *ReplayContext) (Estimate, error) { return w.inForm(FormFitOnly) }

// nearestFitNeighboursOnly is NearestFit with only its nearest neighbors, for the ablation (section 8.6 of that
// paper).
func nearestFitNeighboursOnly(w *ReplayContext) (Estimate, error) {
	return w.inForm(FormNeighboursOnly)
}
