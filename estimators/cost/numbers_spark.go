package cost

// Spark are the numbers of Spark: where the search of lab/fit stood on 51 runs of 24 programs when it was ended, those of
// first runs after a few steps. lab/fit -o writes this file with standard errors once it has run to its end.
var Spark = Numbers{
	Pace:           0.25,
	Load:           0.174,
	Both:           0.162,
	Boot:           0.583,
	LoadBoot:       0.467,
	Change:         0.077,
	Head:           0.333,
	Task:           0.3,
	Every:          285,
	HeadPart:       0.375,
	HeadWide:       26,
	Growth:         0.074,
	Drift:          0.18,
	Waves:          31,
	Pause:          0.48,
	FirstHead:      1.61,
	FirstHeadSigma: 0.72,
	ToCome:         0.5,
	Unseen:         0,
	UnseenRead:     -0.7,
	UnseenSigma:    1,
	NothingLater:   0.34,
	Later:          0.5,
	LaterSigma:     1.2,
}
