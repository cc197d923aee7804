package schedule

import "github.com/paratimer/paratimer/dag"

// stageRules are how a job's master asks for containers and hands them to its stages.
type stageRules interface {
	// edges returns what a stage reads in the kinds that the replay distinguishes.
	edges(after []dag.Edge) []dag.Edge
	// first starts the job's first tasks at t.
	first(y *containers, j int, t dag.Instant)
	// grant hands out what the job may be given at t.
	grant(y *containers, j int, t dag.Instant)
	// nextMB is the size of the container that grant would hand out next; 0: none.
	nextMB(y *containers, j int) int
	// want is how many tasks of a stage that copies are to hold containers or be asked for.
	want(y *containers, j int, k dag.StageIndex) int
	// freed notes that n tasks have ended at t, whose containers the master may keep.
	freed(job *containersJob, n int, t dag.Instant)
	// cold says that a task which starts at t takes longer than usual to start; kept that its container was launched
	// before.
	cold(y *containers, kept bool, t dag.Instant) bool
}

func rulesOf(c *dag.Cluster, job *dag.Job) stageRules {
	if job.Rules == dag.AncestorsFirst {
		return ancestorsFirst(byLevel(job.Stages))
	}
	if of, pools := poolsOf(c, job.Stages); of != nil {
		return fairPools{of: of, pools: pools}
	}
	return reducesFirst{}
}

// keptContainers takes up to n containers that the job's master has kept until t. Those that have been idle for too
// long are gone.
func (y *containers) keptContainers(j, n int, t dag.Instant) int {
	idle := y.jobs[j].idle
	if len(idle) == 0 {
		return 0
	}
	if keep := y.s.Plan.Overheads.Idle; keep > 0 {
		old := 0
		for old < len(idle) && idle[old].at.Add(keep) < t {
			old++
		}
		idle = idle[old:]
	}
	took := 0
	for took < n && len(idle) > 0 {
		last := &idle[len(idle)-1]
		some := min(last.n, n-took)
		took += some
		if last.n -= some; last.n == 0 {
			idle = idle[:len(idle)-1]
		}
	}
	y.jobs[j].idle = idle
	return took
}
