package queueing

// iterate repeats a step until it changes no residence time by more than the tolerance.
func iterate(o Options, step func(damping float64) (change float64)) Fixpoint {
	var f Fixpoint
	for f.Iterations < o.MaxIterations {
		f.Iterations++
		f.Residual = step(o.Damping)
		if f.Residual <= o.Tolerance {
			f.Converged = true
			break
		}
	}
	return f
}
