package estimators

// taskRatio is as jobRatio, but a reduce that has done more than a little goes by its own time for a byte, the newest
// weighing most (an exponentially weighted mean).
func taskRatio(w *World) (Estimate, error) { return w.inForm(FormTaskRatio) }
