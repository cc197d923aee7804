package cost

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// stalledAt is a job of which eight maps of ten have ended at 19 s and nothing has started since.
func stalledAt(now dag.Instant) *dag.Snapshot {
	s := mapping(19_000, 25, 600)
	s.At, s.Jobs[0].HeldMB = now, 512
	for i := range s.Jobs[0].Stages[dag.Map].Attempts {
		a := &s.Jobs[0].Stages[dag.Map].Attempts[i]
		a.State, a.End, a.Done[0], a.Ratio = dag.AttemptSucceeded, 19_000, 600, 1
	}
	return s
}

// TestStall checks that what could start and does not is expected to wait as long again as it has waited, with the
// range of a wait of which only its age is known.
func TestStall(t *testing.T) {
	t.Parallel()
	left := func(now dag.Instant) float64 {
		m := modelOf(stalledAt(now))
		m.findStall()
		return taskcost.MS(replayed(t, m).Remaining())
	}
	usual := left(20_000)
	near(t, "after 10 s", left(29_000), usual, 1500)
	near(t, "after 100 s", left(119_000), usual+100_000, 1500)
	if w := With(Options{Numbers: &fixed})(runOf(stalledAt(119_000))).Warnings; len(w) != 1 ||
		w[0].Code != dag.WarnOtherLoad {
		t.Errorf("warnings %v", w)
	}
	// The rest is shorter than a ninth of the wait with probability 1/10, and longer than nine times it likewise.
	d := drawn(t, stalledAt(119_000))
	within(t, "tenth", taskcost.MS(d.At(0.1)), 11_000, usual+20_000)
	within(t, "nine tenths", taskcost.MS(d.At(0.9)), 650_000, usual+1_150_000)
}

// TestNoStall checks that a wait is none if others have the containers, ours run, or the next job is yet to come.
func TestNoStall(t *testing.T) {
	t.Parallel()
	full, over := stalledAt(119_000), stalledAt(119_000)
	full.Load = []dag.Load{{ID: "job_2", HeldMB: full.Plan.Cluster.MemoryMB - 512, Until: dag.NoInstant}}
	job := over.Plan.Jobs
	job[0].Stages[dag.Map].Tasks, job[0].Stages[dag.Reduce].Tasks = 8, 0
	over.Jobs[0].State, over.Jobs[0].Finished, over.Jobs[0].HeldMB = dag.Succeeded, 20_000, 0
	over.Plan.Jobs = append(job, dag.Job{
		Node: "scope-2", After: []int{0}, Stages: dag.MapReduce(dag.Stage{}, dag.Stage{}),
	})
	over.Jobs = append(over.Jobs, dag.BlockedJob(dag.MapReduceStages))
	for name, s := range map[string]*dag.Snapshot{
		"others have all": full, "ours run": mapping(60_000, 80, 600), "between jobs": over,
	} {
		m := modelOf(s)
		if m.findStall(); m.stalled != 0 {
			t.Errorf("%s: stalled for %v", name, m.stalled)
		}
	}
}
