package estimators

import "github.com/paratimer/paratimer/dag"

// A Remembering cost model knows how wrong the ranges of earlier runs of this workflow were, oldest run first.
type Remembering interface {
	Residuals() []dag.Residual
}

// Corrected is a scenario whose distribution is corrected by what earlier runs of the workflow taught. The raw one is kept.
func Corrected(s Scenario) Scenario {
	raw := s.Estimate
	s.Estimate = func(w *World) (Estimate, error) {
		e, err := raw(w)
		if err != nil || len(e.Distribution) == 0 {
			return e, err
		}
		var residuals []dag.Residual
		if r, ok := w.Costs.(Remembering); ok {
			residuals = r.Residuals()
		}
		e.Raw = e.Distribution
		e.Distribution, e.Runs = e.Raw.Corrected(duration(w.elapsedMS()), residuals)
		median := e.Distribution.At(0.5)
		e.Remaining, e.Progress = &median, w.progress(float64(median.Milliseconds()))
		return e, nil
	}
	return s
}
