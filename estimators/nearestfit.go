package estimators

// nearestFit is the theoretical form of NearestFit: every key of a job's reduces is known with its size (Coppa and
// Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015).
func nearestFit(w *ReplayContext) (Estimate, error) { return w.inForm(FormTheory) }
