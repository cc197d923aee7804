package estimators

// jobRatio takes every byte of a job's groups to cost what those that are done have cost on average: the linear
// yardstick of NearestFit.
func jobRatio(w *ReplayContext) (Estimate, error) { return w.inForm(FormJobRatio) }

// jobRatioSmoothed is as jobRatio, by an exponentially weighted moving average: the newest work weighs most (Coppa and
// Finocchi, section 7.1).
func jobRatioSmoothed(w *ReplayContext) (Estimate, error) { return w.inForm(FormJobRatioSmoothed) }
