package dag

// DriverAlone returns since when the driver of a running application has worked alone: all submitted stages have
// ended. It returns NoInstant while a stage runs or waits, and if the engine does not report when stages were
// submitted.
func (s *Snapshot) DriverAlone() Instant {
	if s.Plan == nil || s.State != Running || len(s.Jobs) != len(s.Plan.Jobs) {
		return NoInstant
	}
	last := NoInstant
	for j := range s.Jobs {
		js, plan := &s.Jobs[j], &s.Plan.Jobs[j]
		for k := min(len(js.Stages), len(plan.Stages)) - 1; k >= 0; k-- { // the newest stages run most often
			stage := &js.Stages[k]
			if stage.Submitted <= 0 {
				continue
			}
			if stage.Succeeded() < plan.Stages[k].Count() {
				return NoInstant
			}
			last = max(last, stage.Submitted)
		}
		if last.Known() {
			last = max(last, js.LastSuccess())
		}
	}
	return last
}
