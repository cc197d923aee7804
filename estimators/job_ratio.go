package estimators

// jobRatio takes every byte of a job's groups to cost what those that are done have cost on average: the linear yardstick
// of NearestFit.
func jobRatio(w *World) (Estimate, error) { return w.inForm(FormJobRatio) }
