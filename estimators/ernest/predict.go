package ernest

// Cover is the share of runs that lie between Low and High of a prediction, as far as the rows can tell. Low and High
// are each passed by one run in ten.
const Cover = 0.8

// A Prediction is what a model says of a run that was not made.
type Prediction struct {
	Machines, Scale float64
	// Seconds that the run takes, and the range by bootstrap, widened with the distance. NaN where nothing can be said.
	Seconds, Low, High float64
	Extrapolation      Extrapolation
	Warnings           []Warning
	// Refused is nil, or says why the number must not be shown unless forced: the model's doubt, or the point's.
	Refused error
}

// Extrapolation is how far a point is from the rows: factors of at least 1, 1 within their range.
type Extrapolation struct {
	Machines, Scale float64
	// Distance is the two together, in doublings: 0 inside, 3 for eight times the scale.
	Distance float64
}

// Predict says how long a run takes. It always computes what it can: look at Refused before showing it.
func (m *Model) Predict(machines, scale float64) Prediction { return Prediction{Refused: errLater} }
