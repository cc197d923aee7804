package staged

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// onFour is an application on four cores with one stage; the first four tasks are the first on their cores.
func onFour(took, records []float64) *dag.Snapshot {
	p := &dag.Plan{
		Name: "app", Engine: "Spark", Whole: dag.Whole{Name: "application", Part: "stage", Parts: "stages"},
		Cluster: dag.Cluster{Policy: dag.Executors, Cores: 4},
		Driver:  dag.Eager, Jobs: []dag.Job{{
			Node: "application", Stages: []dag.Stage{{
				Name: "map", Tasks: len(took), Known: true,
				Pipelines: make([]dag.Pipeline, 1),
			}},
		}},
	}
	s := &dag.Snapshot{Plan: p, At: 1_000_000, State: dag.Running, Stale: dag.NoInstant, Jobs: p.BlockedJobs()}
	s.Jobs[0].Submitted, s.Jobs[0].State = 0, dag.Running
	free := [4]dag.Instant{}
	for i, ms := range took {
		slot := i % 4
		nan := math.NaN()
		a := dag.Attempt{
			Task: int32(i), State: dag.AttemptSucceeded, Slot: int32(slot), Node: -1, Start: free[slot],
			End:  free[slot] + dag.Instant(ms),
			Done: [dag.Pipelines]float64{records[i], nan, nan}, Total: [dag.Pipelines]float64{nan, nan, nan}, Out: nan,
			Bytes: nan, Ratio: nan,
			CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant, FirstReport: dag.NoInstant,
		}
		a.First.At, a.Last.At = dag.NoInstant, dag.NoInstant
		free[slot] = a.End
		s.Jobs[0].Stages[0].Attempts = append(s.Jobs[0].Stages[0].Attempts, a)
	}
	return s
}

// sizesOf are the records that the tasks of a stage are expected to have, the first of which have ended with these,
// with the profile of a run whose tasks had others.
func sizesOf(before, ended []float64, n int) []float64 {
	took := make([]float64, max(n, len(before)))
	for i := range took {
		took[i] = 1000
	}
	records := make([]float64, n)
	copy(records, ended)
	s := onFour(took[:n], records)
	stage := &s.Jobs[0].Stages[0]
	stage.Attempts = stage.Attempts[:len(ended)]
	s.Profiles = []*dag.Plan{Learn(dag.Run{}.Append(onFour(took[:len(before)], before)))}
	return New(dag.Run{}.Append(s)).stages[0][0].size
}

// TestSizesByPlace holds that tasks of a scan that come later are expected to be smaller if they were in the profile's
// run, whatever its number of tasks, and that sizes in no order tell nothing of it.
func TestSizesByPlace(t *testing.T) {
	t.Parallel()
	size := sizesOf([]float64{800, 700, 600, 500, 400, 300, 200, 100}, []float64{400, 330, 260, 190}, 6)
	if math.Abs(size[4]-144) > 1 || math.Abs(size[5]-60) > 1 {
		t.Errorf("the last two tasks have %.0f and %.0f records, not 144 and 60", size[4], size[5])
	}
	size = sizesOf([]float64{300, 100, 100, 300, 300, 100, 100, 300}, []float64{200, 200, 200, 200}, 6)
	if size[4] != 200 || size[5] != 200 {
		t.Errorf("the last two tasks have %.0f and %.0f records, not 200", size[4], size[5])
	}
}

// TestFirstEndsAreSmall holds that the profile's sizes weigh as much as one task that has ended.
func TestFirstEndsAreSmall(t *testing.T) {
	t.Parallel()
	hundred := []float64{100, 100, 100, 100, 100, 100, 100, 100}
	if got := sizesOf(hundred, []float64{50}, 8)[7]; got != 75 {
		t.Errorf("after a task of 50 records instead of 100 one is expected to have %.0f, not 75", got)
	}
	if got := sizesOf(hundred, []float64{50, 50, 50}, 8)[7]; got != 62.5 {
		t.Errorf("after three of them one is expected to have %.1f, not 62.5", got)
	}
}
