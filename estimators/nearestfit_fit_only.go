package estimators

// nearestFitFitOnly is NearestFit with its fitted curves alone, for the ablation (section 8.6 of that paper).
func nearestFitFitOnly(w *ReplayContext) (Estimate, error) { return w.inForm(FormFitOnly) }
