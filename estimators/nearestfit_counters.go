package estimators

// nearestFitCounters is NearestFit without a tap: what the counters of a reduce did between two reports is a burst of
// groups of their mean size. It is the weakest form, and any job has it.
func nearestFitCounters(w *ReplayContext) (Estimate, error) { return w.inForm(FormCounters) }
