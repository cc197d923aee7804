package simulate

import (
	"slices"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// begin returns a map of the first job that starts on a node of a FIFO cluster, and its set-up.
func begin(w *simulation, task, node int) (*attempt, time.Duration) {
	w.attempts = map[attemptKey]*attempt{}
	cost := w.left(schedule.Task{Index: task, Node: node, Slot: node * int(w.perNode())})
	return w.attempts[w.keyOf(0, dag.Map, int32(task), 0)], cost.Setup
}

// A run's pace multiplies all its work, noise on set-ups changes nothing else.
func TestPaceAndSetups(t *testing.T) {
	p := &dag.Plan{
		Cluster: dag.Cluster{MapSlots: 2, ReduceSlots: 1, Setup: 10 * time.Second},
		Jobs: []dag.Job{{Node: "a", Stages: dag.MapReduce(dag.Stage{
			Tasks: 6, Known: true, Pipelines: []dag.Pipeline{{Tuples: dag.Uniform(1000), Alpha: dag.Uniform(20)}},
		}, dag.Stage{Known: true})}},
	}
	work := func(o Options) (work, setups []int64) {
		for i := range 6 {
			a, setup := begin(newSimulation(p, &o), i, 0)
			work = append(work, a.work)
			setups = append(setups, setup.Milliseconds())
		}
		return work, setups
	}
	base, setups := work(Options{Seed: 3})
	paced, same := work(Options{Seed: 3, Speed: 0.5})
	if ratio := float64(paced[0]) / float64(base[0]); ratio == 1 ||
		slices.ContainsFunc(paced, func(w int64) bool { return w != paced[0] }) || !slices.Equal(setups, same) {
		t.Errorf("a pace makes work %v of %v and set-ups %v of %v", paced, base, same, setups)
	}
	same, varied := work(Options{Seed: 3, SetupNoise: 0.5, Family: Gamma})
	if !slices.Equal(same, base) || slices.Equal(varied, setups) || varied[0] == varied[1] {
		t.Errorf("noise on set-ups makes work %v of %v and set-ups %v of %v", same, base, varied, setups)
	}
}
