package observed

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// stalledAt is a job of which eight maps of ten have ended at 19 s and nothing has started since.
func stalledAt(now dag.Instant) *dag.Snapshot {
	s := group(min(now, 19_000), 25, 600)
	s.At = now
	s.Jobs[0].HeldMB = 512
	for i := range s.Jobs[0].Stages[dag.Map].Attempts {
		a := &s.Jobs[0].Stages[dag.Map].Attempts[i]
		a.State, a.End, a.Done[0], a.Ratio = dag.AttemptSucceeded, 19_000, 600, 1
	}
	return s
}

func remaining(t *testing.T, m *Model) float64 {
	t.Helper()
	s, err := schedule.Replay(m.Snapshot, m.Left, schedule.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return taskcost.MS(s.Remaining())
}

// What could start at once and does not is expected to wait as long again as it has waited, and the range says how
// little that is known by.
func TestStall(t *testing.T) {
	t.Parallel()
	usual := remaining(t, New(runOf(stalledAt(20_000)), Options{}))
	near(t, "after 10 s", remaining(t, New(runOf(stalledAt(29_000)), Options{})), usual, 1500)
	m := New(runOf(stalledAt(119_000)), Options{})
	near(t, "after 100 s", remaining(t, m), usual+100_000, 1500)
	if len(m.Warnings) == 0 || m.Warnings[len(m.Warnings)-1].Code != dag.WarnOtherLoad {
		t.Errorf("warned of %v", m.Warnings)
	}
	// The rest of the wait is shorter than a ninth of the wait so far with probability 1/10, and longer than nine times
	// it likewise.
	got := ranged(t, stalledAt(119_000))
	near(t, "tenth", taskcost.MS(got.At(0.1)), 0.5*usual+11_000, 0.5*usual)
	near(t, "nine tenths", taskcost.MS(got.At(0.9)), usual+900_000, 250_000)
}

// Where containers are taken, or the next job is not submitted yet, waiting is what is to be expected.
func TestNoStall(t *testing.T) {
	t.Parallel()
	full := stalledAt(119_000)
	full.Load = []dag.Load{{ID: "job_2", HeldMB: full.Plan.Cluster.MemoryMB - 512, Submitted: 0, Until: dag.NoInstant}}
	runs := group(60_000, 80, 600) // all of the cluster is ours
	over := stalledAt(119_000)
	over.Plan.Jobs[0].Stages[dag.Map].Tasks, over.Plan.Jobs[0].Stages[dag.Reduce].Tasks = 8, 0
	over.Jobs[0].State, over.Jobs[0].Finished, over.Jobs[0].HeldMB = dag.Succeeded, 20_000, 0
	over.Plan.Jobs = append(over.Plan.Jobs, dag.Job{Node: "scope-2", After: []int{0}, Stages: dag.MapReduce(dag.Stage{},
		dag.Stage{})})
	over.Jobs = append(over.Jobs, dag.BlockedJob(dag.MapReduceStages))
	for name, s := range map[string]*dag.Snapshot{"others hold all": full, "ours run": runs, "between jobs": over} {
		if m := New(runOf(s), Options{}); m.stalled != 0 {
			t.Errorf("%s: stalled for %.0f s", name, m.stalled/1000)
		}
	}
}
