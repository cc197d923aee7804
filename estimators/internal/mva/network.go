// Package mva solves closed queueing networks by mean value analysis: exactly (M. Reiser and S. Lavenberg, JACM 27(2),
// 1980) and by the approximation of Bard and Schweitzer.
//
// Networks are of product form: a centre is PS, or FCFS with exponential service that is the same for each class. Where
// classes ask different service of one FCFS centre the answers are an approximation. gonum has no queueing.
package mva

// A Centre is where customers are served.
type Centre struct {
	// Servers is how many customers are served at once, each at full speed: 1, or more for a centre with several equal
	// servers. 0 counts as 1. Delay is a centre where nobody waits; its Servers are not looked at.
	Servers int
	Delay   bool
}

// A Network is closed: each class has a fixed number of customers, who think, then visit the centres, for ever.
type Network struct {
	Centres    []Centre
	Population []int       // customers of each class; 0 is a class that is not there
	Demand     [][]float64 // [class][centre] seconds of service a cycle, visits counted in; at least 0
	Think      []float64   // seconds of each class between cycles; nil is none
}

// A Result is the network in its steady state. Indices are [class][centre] or [class].
//
// A class without customers has a throughput of 0 and unknown residences (NaN). One that asks for nothing and does not
// think cycles at once: its throughput is +Inf, and it is in nobody's way.
type Result struct {
	Residence [][]float64 // seconds a cycle at the centre, waiting counted in
	// Utilisation is throughput · demand: of a single server the part of time that it is busy with the class, of
	// several servers how many are, of a delay centre how many customers are there.
	Utilisation [][]float64
	Queue       [][]float64 // customers there, those in service counted in
	Throughput  []float64   // cycles a second
	Response    []float64   // seconds a cycle without thinking: the sum of the residences

	// Of an approximation: how it ended. An exact result has Converged and no iterations.
	Iterations int
	Residual   float64 // the largest last change of a queue, in customers
	Converged  bool
}
