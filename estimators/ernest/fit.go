package ernest

import "errors"

var errLater = errors.New("ernest: not built yet")

// FitOptions say what to fit. The zero value is the model of the paper.
type FitOptions struct {
	// Terms of the model, nil for BaseTerms.
	Terms []Term
	// Extra are terms that are tried beside them; those that lower the leave-one-out error enough stay, and a warning says so.
	Extra []Term
	// Seed of the bootstrap: the same rows and seed give the same ranges.
	Seed uint64
	// Resamples of the bootstrap, 0 for 400. At most 10,000.
	Resamples int
}

// A Model is a sum of terms with non-negative coefficients.
type Model struct {
	Terms        []Term
	Coefficients []float64 // seconds per unit of the term of the same index
	Residual     float64   // Euclidean norm of the residuals, seconds
	// LOO is the mean of |predicted/actual - 1| where each row is predicted by a model of the others. NaN where no row can be.
	LOO float64
	// Left are these predictions, a row each, seconds. NaN where the others do not determine it.
	Left      []float64
	Rows      []Row
	Rank      int     // of the features of the rows
	Condition float64 // of the features with columns scaled to length 1; +Inf for a lower rank than terms
	Warnings  []Warning
}

// Fit finds the non-negative coefficients that fit rows with the least squared error (§3.3). It wants at least one row;
// what so few rows cannot determine is named in the warnings. A *RowError says which row cannot be.
func Fit(rows []Row, o FitOptions) (*Model, error) { return nil, errLater }

// Trusted is nil, or a *DoubtError that says why the model must give no number unless forced: it does not fit.
func (m *Model) Trusted() error { return errLater }
