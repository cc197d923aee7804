package cost

// MapReduce are the numbers of MapReduce: where the search of lab/fit stood on 170 runs of 35 programs when it was
// ended, those of first runs after a few steps. lab/fit -o writes this file with standard errors once it has run to
// its end.
var MapReduce = Numbers{
	Pace:        0.35,
	Load:        0.4,
	Both:        0.06,
	Change:      0.157,
	Head:        0.36,
	Task:        0.03,
	Launch:      1,
	Growth:      0.375,
	Files:       0.3,
	Node:        0.3,
	Drift:       0.12,
	Waves:       31,
	Pause:       0.3,
	ToCome:      0.4,
	Unseen:      -0.9,
	UnseenSigma: 1,
	UnseenRead:  -2,
	UnseenHigh:  2,
}
