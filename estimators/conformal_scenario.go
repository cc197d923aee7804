package estimators

import "github.com/paratimer/paratimer/dag"

// Corrected is a scenario whose distribution is corrected by what earlier runs of the workflow taught. The raw one is
// kept.
func Corrected(s Scenario) Scenario {
	raw := s.Estimate
	s.Estimate = func(w *ReplayContext) (Estimate, error) {
		e, err := raw(w)
		if err != nil || len(e.Distribution) == 0 {
			return e, err
		}
		tick := TickOf(duration(w.elapsedMS()), w.doneTasks(), e.Distribution)
		e.Raw, e.Tick = e.Distribution, &tick
		e.Distribution, e.Runs = e.Raw.Corrected(tick, w.Costs.Residuals)
		median := e.Distribution.At(0.5)
		e.Remaining, e.Progress = &median, w.progress(float64(median.Milliseconds()))
		return e, nil
	}
	return s
}

// doneTasks is the share of tasks that are done, as far as their number is known.
func (w *ReplayContext) doneTasks() float64 {
	all, left := 0, 0
	w.eachPhase(func(_ int, _ dag.StageIndex, p *phase) {
		all += p.Tasks
		left += p.left()
	})
	if all == 0 {
		return 0
	}
	return 1 - float64(left)/float64(all)
}
