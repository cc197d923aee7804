package ernest

// An IterationRow is a run of some iterations of an iterative job (§4.1).
type IterationRow struct {
	Row
	Iterations int
}

// An Iterative is a model of a job that does the same again and again: Setup + iterations·Each.
type Iterative struct {
	// Setup is what is done once. Nil where all rows have the same number of iterations: set-up is then within Each.
	Setup *Model
	Each  *Model // seconds of an iteration
	Rows  []IterationRow
	// Residual, LOO, Warnings as in a Model, of whole runs.
	Residual, LOO float64
	Warnings      []Warning
}

// Iterations fits runs of few iterations to predict those of many (§4.1).
func Iterations(rows []IterationRow, o FitOptions) (*Iterative, error) { return nil, errLater }

// Predict says how long so many iterations take.
func (it *Iterative) Predict(machines, scale float64, iterations int) Prediction {
	return Prediction{Refused: errLater}
}
