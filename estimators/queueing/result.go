package queueing

// A Result is what a model says of a Spec. Times are in seconds.
type Result struct {
	Model   Model
	Jobs    []JobResult // as in the Spec
	Centres []Centre    // each node group's CPU, fibre and disk, then the network
	// Bottleneck is the index in Centres of the busiest one.
	Bottleneck int

	Fixpoint
	Warnings []Warning
}

// A Fixpoint says how the iteration over residence times and timelines ended.
type Fixpoint struct {
	Iterations int
	Converged  bool
	// Residual is the largest change of a residence time in the last iteration, in seconds.
	Residual float64
	// Cycle is the length of the limit cycle that the iteration ended in; 0 if it is in none that was recognised.
	Cycle int
}

// A JobResult is what a model says of one class of jobs.
type JobResult struct {
	Name string
	// Response is the mean time from a job's start to its end.
	Response float64
	// Throughput is how many of its copies end a second: Copies/Response, the next one starting as one ends.
	Throughput float64
	// Span is the length of the timeline of mean residence times, with no allowance for the slowest of tasks side by
	// side.
	Span    float64
	Classes []Class // map, then shuffle and merge where it has reduces
	Phases  []Phase
	Threads []Thread // the timeline
	Tree    *Tree
}

// Response of the first job, for a Spec that has one.
func (r *Result) Response() float64 { return r.Jobs[0].Response }

// A Kind is a kind of task.
type Kind int

// The kinds of task (§3.2): a shuffle is one map's output taken and sorted by one reduce.
const (
	Map Kind = iota
	Shuffle
	Merge
)

// String is its name.
func (k Kind) String() string { return [...]string{"map", "shuffle", "merge"}[k] }

// MarshalText gives the name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// A Class is the tasks of a kind of one job.
type Class struct {
	Kind  Kind
	Tasks int
	// Demand is what one task asks, as modelled: the mean over maps that run beside the reduce and elsewhere, for a
	// shuffle.
	Demand Demand
	// Residence is how long one task is at each kind of centre, in service or in queue; its Total is the task's
	// duration.
	Residence Demand
}

// A CentreKind is a kind of centre.
type CentreKind int

// The kinds of centre (§3.1).
const (
	CPU CentreKind = iota
	Fibre
	Disk
	Network
)

// String is its name.
func (k CentreKind) String() string { return [...]string{"cpu", "fibre", "disk", "network"}[k] }

// MarshalText gives the name.
func (k CentreKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// A Centre is a centre, or the like ones of nodes that do the same.
type Centre struct {
	Kind    CentreKind
	Node    int // the first node that has it, from 0; -1 for the network
	Nodes   int // how many nodes it stands for; 1 for the network
	Servers int
	// Utilisation of each server over the time of the jobs, within 0 and 1.
	Utilisation float64
}

// A Phase is a stretch of a job's timeline that no blocked reduce's wake-up falls into (§3.4), or several equally long
// ones in a row: a long job has thousands.
type Phase struct {
	Start, End float64
	Count      int
}

// PhaseCount is how many phases a job has.
func (j *JobResult) PhaseCount() int {
	n := 0
	for _, p := range j.Phases {
		n += p.Count
	}
	return n
}

// A Thread is what a slot does, piece after piece (§3.4).
type Thread struct {
	Kind   Kind // Map or Merge: of a map slot or of a reduce
	Node   int  // the first node that has it, from 0
	Slot   int  // the first one of that node, from 0
	Count  int  // how many like threads it stands for, of neighbouring slots and nodes
	Pieces []Piece
}

// A Piece is equal tasks of a thread, one after the other or as many at once as there are shuffle threads.
type Piece struct {
	Kind       Kind
	Tasks      int
	Start, End float64
	// Waits says that the thread is also blocked in between: the piece stands for many, one at the start of each of a
	// row of phases.
	Waits bool
}
