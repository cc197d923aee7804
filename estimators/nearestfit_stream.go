package estimators

// nearestFitStream is the streaming form of NearestFit: each map tells its largest keys, the rest are bytes.
// paratimer-tap measures them.
func nearestFitStream(w *ReplayContext) (Estimate, error) { return w.inForm(FormStream) }
