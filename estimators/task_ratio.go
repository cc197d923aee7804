package estimators

// taskRatio is as jobRatio, but a reduce that has done more than a little goes by its own time for a byte.
func taskRatio(w *ReplayContext) (Estimate, error) { return w.inForm(FormTaskRatio) }

// taskRatioSmoothed is as taskRatio, by an exponentially weighted moving average (Coppa and Finocchi, section 7.1).
func taskRatioSmoothed(w *ReplayContext) (Estimate, error) { return w.inForm(FormTaskRatioSmoothed) }
