// Package mva solves closed queueing networks by mean value analysis: exactly (M. Reiser and S. Lavenberg, JACM 27(2),
// 1980) and by the approximation of Bard and Schweitzer.
//
// Networks are of product form: a center is PS, or FCFS with exponential service that is the same for each class.
// If classes have different service at one FCFS center, the results are an approximation. gonum has no queueing.
package mva

// A Centre serves customers.
type Centre struct {
	// Servers is the number of customers that are served at once, each at full speed: 1, or more for a center with
	// several equal servers. 0 counts as 1. Delay means a center without a queue; its Servers are ignored.
	Servers int
	Delay   bool
}

// A Network is closed: each class has a fixed number of customers, who think, then visit the centers, forever.
type Network struct {
	Centres    []Centre
	Population []int       // customers of each class; 0: the class is absent
	Demand     [][]float64 // [class][center] seconds of service a cycle, including all visits; at least 0
	Think      []float64   // seconds of each class between cycles; nil is none
}

// A Result is the network in its steady state. Indices are [class][center] or [class].
//
// A class without customers has a throughput of 0 and unknown residences (NaN). A class without demand and thinking
// time cycles at once: its throughput is +Inf, and it delays no other class.
type Result struct {
	Residence [][]float64 // seconds a cycle at the center, including waiting
	// Utilisation is throughput · demand: for a single server the share of time that it is busy with the class, for
	// several servers the number that is busy, for a delay center the number of customers there.
	Utilisation [][]float64
	Queue       [][]float64 // customers there, including those in service
	Throughput  []float64   // cycles a second
	Response    []float64   // seconds a cycle without thinking: the sum of the residences

	// The outcome of an approximation. An exact result has Converged and no iterations.
	Iterations int
	Residual   float64 // the largest last change of a queue, in customers
	Converged  bool
}
