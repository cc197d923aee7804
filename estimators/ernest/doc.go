// Package ernest predicts how long a job takes on machines that it has not had, from a few runs on a part of its input.
//
// S. Venkataraman, Z. Yang, M. Franklin, B. Recht, I. Stoica, "Ernest: Efficient Performance Prediction for Large-Scale
// Advanced Analytics", NSDI 2016; comments name its sections. The order of the terms and how candidates of a design are
// made is that of the authors' program (github.com/amplab/ernest), which differs from the text here and there.
//
// The steps are Design (which runs to make), Fit (a non-negative linear model of their times), Predict, Choose
// (machines for a deadline or a budget), Retrain (a real run says that the model is old) and Score (how good all this
// is on runs that are known). Nothing here does I/O: runs come as rows of floats.
//
// Machines are whatever the work was divided by: machines, cores, containers. Scale is how much input there was: a
// fraction of the whole, or any size, as long as all rows have the same unit. Times are seconds. Unknown numbers are
// NaN.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package ernest

// A Row is a run that has been made.
type Row struct {
	Machines float64 `json:"machines"` // at least 1
	Scale    float64 `json:"scale"`    // above 0
	Seconds  float64 `json:"seconds"`  // above 0; a model of rows that are not gives no number unasked
}

// A Warning is something to know beside a number. Codes are stable, texts are for people.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}
