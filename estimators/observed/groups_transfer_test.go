package observed

import (
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
)

// Once the maps are over, copy and sort take a reduce the longer the more bytes it fetches (section 3.6).
func TestShuffleGrowsWithBytes(t *testing.T) {
	r := quadratic()
	r.sizes = append(r.sizes, []float64{10_000, 8000, 6000}, []float64{10, 10, 10})
	s := r.at(250_000, dag.GroupsTapped)
	js := &s.Jobs[0]
	js.Stages[dag.Reduce].Attempts = js.Stages[dag.Reduce].Attempts[:4] // the last two wait
	for i := range js.Stages[dag.Reduce].Attempts {
		a := &js.Stages[dag.Reduce].Attempts[i]
		fetched := dag.Instant(a.Bytes / 2)
		a.CopyEnd, a.SortEnd = a.Start+3000+fetched, a.Start+3000+2*fetched
	}
	js.Groups.Reduces[4].Done, js.Groups.Reduces[5].Done = nil, nil
	m := New(runOf(s), Options{})
	w := m.phases[0][dag.Reduce].groups
	if w == nil {
		t.Fatal("it does not go by its key groups")
	}
	near(t, "sort of the large one", w.sort[4], 12_000, 1)
	near(t, "sort of the small one", w.sort[5], 15, 1)
	if w.copy[4] < 100*w.copy[5] || w.copy[4] < 5000 || w.copy[4] > 15_000 {
		t.Errorf("copy of the large one %v, of the small one %v", w.copy[4], w.copy[5])
	}
	near(t, "a task that waits", taskcost.MS(pending(m, 4).Work), w.whole[4]+w.copy[4]+w.sort[4], 1)
}
