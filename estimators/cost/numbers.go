package cost

// Numbers are the parameters of the cost law for one engine, common to its programs and clusters; `lab fit` finds them.
// Standard deviations are of logarithms, as are FirstHead, Unseen, UnseenRead and Later.
type Numbers struct {
	// Of a run with a profile.

	Pace      float64 // σ_r: the run's pace of work
	Load      float64 // σ_o: the run's pace of overhead, if the starts of executors do not show it
	LoadBoot  float64 // the same if they do
	Boot      float64 // exponent of the ratio of these starts in the expected pace of overhead
	Both      float64 // slope of r over o
	Change    float64 // σ_d: a stage's own change
	Head      float64 // common overhead of the first tasks of a stage on the cores
	Task      float64 // σ_ε: a task
	Every     float64 // overhead of each task, milliseconds
	EveryPart float64 // additional overhead of each task, as a part of the launch of a container
	Launch    float64 // a launch, against other overhead
	Alone     float64 // exponent: n containers launched together on a node take n to this power times as long as one
	HeadPart  float64 // overhead of the first task of a stage on a core, as a part of that of the core's first task
	HeadWide  float64 // standard deviation of this overhead, as a multiple of it
	Growth    float64 // σ_g: the growth of a stage, if nothing shows it
	Files     float64 // the same if the sizes of its files show it
	Node      float64 // σ_n: a node
	Drift     float64 // speed of the cluster from now on
	Waves     float64 // number of later tasks of each core that halve the weight of a task
	Pause     float64 // a pause of the driver

	// Of a first run.

	FirstHead, FirstHeadSigma       float64 // time of the first tasks of a stage on the cores, against the others
	ToCome                          float64 // systematic difference of the remaining tasks of a stage from ended ones
	Unseen, UnseenSigma             float64 // a task of a stage without ended tasks, against the mean task of the run
	UnseenRead                      float64 // Unseen of a stage that reads other stages
	NothingLater, Later, LaterSigma float64 // see Model.later
}

// Planned are the numbers of runs with a plan that has the costs of all tasks: plans that are estimated before they
// run, and simulated runs (facts/measured.md 4 and 6). Their paces are expected to be as planned.
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
