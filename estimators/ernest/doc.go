// Package ernest predicts how long a job takes on numbers of machines that it never ran on, from a few runs on a part
// of its input.
//
// S. Venkataraman, Z. Yang, M. Franklin, B. Recht, I. Stoica, "Ernest: Efficient Performance Prediction for
// Large-Scale Advanced Analytics", NSDI 2016; comments name its sections. The order of the terms and the candidates
// of a design follow the authors' program (github.com/amplab/ernest), which differs from the paper in some places.
//
// The steps are Design (which runs to make), Fit (a non-negative linear model of their times), Predict, Choose
// (machines for a deadline or a budget), and Retrain (whether real runs show that the model is outdated). The
// package does no I/O: runs are rows of floats.
//
// Machines are the units that the work is divided among: machines, cores or containers. Scale is the amount of input:
// a fraction of the whole, or any size, if all rows use the same unit. Times are seconds. Unknown numbers are NaN.
//
// # Stability
//
// Young: names may change in a minor version; the changelog lists such changes (docs/api.md).
package ernest
