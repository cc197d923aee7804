package simulation

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/estimators/queueing"
)

// Utilizations are of all the time that is simulated, so that they are what the tasks ask over how long they take. The
// mean of each run's own is more: a run that happens to be short is a busy one. Here it was 8% more.
func TestUtilization(t *testing.T) {
	t.Parallel()
	s := queueing.PublishedSimulation(4, 4, 1, 1)
	r, err := Simulate(s, Options{Runs: 4000})
	if err != nil {
		t.Fatal(err)
	}
	j := &s.Jobs[0]
	for _, c := range []struct {
		name       string
		busy, work float64
	}{
		{"CPU", busy(r, queueing.CPU), (4*j.Map.CPU + 16*j.Shuffle.CPU + 4*j.Merge.CPU) / 16},
		{"disk", busy(r, queueing.Disk), (4*j.Map.Disk + 16*j.Shuffle.Disk + 4*j.Merge.Disk) / 4},
	} {
		if want := c.work / r.Makespan; math.Abs(c.busy/want-1) > .02 {
			t.Errorf("%s: busy %.4f of the time, the tasks ask for %.4f of it", c.name, c.busy, want)
		}
	}
}
