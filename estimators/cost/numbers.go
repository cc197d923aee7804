package cost

// Numbers are what programs and clusters of an engine have in common; lab/fit finds them. Standard deviations are of
// logarithms, as are FirstHead, Unseen, UnseenRead and Later.
type Numbers struct {
	// Of a run with a profile.

	Pace      float64 // σ_r: the run's pace of work
	Load      float64 // σ_o: its pace of overhead, where the starts of executors do not show it
	LoadBoot  float64 // the same where they do
	Boot      float64 // the power of the ratio of these starts that is expected of the pace of overhead
	Both      float64 // how much of log o is expected of log r
	Change    float64 // σ_d: a stage's own change
	Head      float64 // overhead of the first tasks of a stage on the cores, in common
	Task      float64 // σ_ε: a task
	Every     float64 // overhead of each task, milliseconds
	EveryPart float64 // more of it, as a part of the launch of a container
	Launch    float64 // a launch, against other overhead
	Alone     float64 // launches of n containers together on a node take n to this power times as long as a single one
	HeadPart  float64 // overhead of the first task of a stage on a core, as a part of that of the first task of the core
	HeadWide  float64 // standard deviation of this overhead, as a multiple of it
	Growth    float64 // σ_g: the records of a stage, where nothing shows them
	Files     float64 // the same where the sizes of its files show it
	Node      float64 // σ_n: a node
	Drift     float64 // the cluster from now on
	Waves     float64 // after how many later tasks of each core one counts half
	Pause     float64 // a pause of the driver

	// Of a first run.

	FirstHead, FirstHeadSigma       float64 // how many times as long as others the first tasks of a stage on the cores take
	ToCome                          float64 // what the tasks to come of a stage differ by from those that have ended
	Unseen, UnseenSigma             float64 // a task of a stage of which none has ended, against the mean task of the run
	UnseenRead                      float64 // Unseen of a stage that reads others
	NothingLater, Later, LaterSigma float64 // see Model.later
}
