package queueing

// moments is the mean and variance of a duration.
type moments struct{ mean, variance float64 }

func (m moments) plus(o moments) moments {
	return moments{m.mean + o.mean, m.variance + o.variance}
}

func (m moments) times(n float64) moments { return moments{n * m.mean, n * m.variance} }

// of a vector of stays, each exponential.
func (v vector) moments() moments { return moments{v.sum(), v.squares()} }
