package cost

// Planned are the numbers of runs with a plan that has the costs of all tasks: plans that are estimated before they
// run, and simulated runs (docs/facts/measured.md 4 and 6). Their paces are expected to be as planned.
var Planned = Numbers{
	Pace:        0.08,
	Load:        0.05,
	Change:      0.15,
	Head:        0.05,
	Task:        0.06,
	Launch:      0.5,
	Growth:      0.05,
	Files:       0.3,
	Drift:       0.08,
	Waves:       31,
	ToCome:      0.1,
	UnseenSigma: 1,
}
