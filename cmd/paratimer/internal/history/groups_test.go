package history

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/dag"
)

// Key groups are kept with a profile, the newest run's, in some 50 KB a job; the older runs become means, without
// groups.
func TestKeyGroupsAreKept(t *testing.T) {
	with := func(note string) *dag.Plan {
		p := plan("a.pig", 2, "1", "GROUP_BY")
		g := &dag.Groups{Origin: dag.GroupsTapped, Maps: 20, Note: note}
		for i := range 8 {
			r := dag.NoReduceGroups()
			r.Bytes, r.Implicit = 123_456_789, 12_345
			for n := range 125 {
				bytes := float64((n+1)*1_234_567 + i)
				r.Explicit = append(r.Explicit, dag.GroupSize{Bytes: bytes, Count: float64(1 + n%3)})
				r.Done = append(r.Done, dag.GroupPoint{
					At: dag.NoInstant, Bytes: bytes,
					Took: time.Duration(123_456_000 * (n + 1)), Count: float64(1 + n%3),
				})
			}
			g.Reduces = append(g.Reduces, r)
		}
		p.Jobs[0].SetStage(dag.Reduce, dag.Stage{Known: true, Tasks: 8, Groups: g})
		return p
	}
	w := &state.Workflow{Name: "a.pig"}
	for i := range 7 {
		kept, word, err := encode(with(string(rune('a' + i))))
		if err != nil || word != "" {
			t.Fatal(word, err)
		}
		if i == 0 {
			t.Logf("%d bytes", len(kept))
		}
		if len(kept) > 64<<10 {
			t.Errorf("%d bytes", len(kept))
		}
		r := ran(t, string(rune('0'+i)), 10, with(string(rune('a'+i))))
		w.Runs = append(w.Runs, r)
	}
	bound(w)
	profile, n := Lines(w, "")[0].Profile()
	if n != 7 {
		t.Fatalf("%d runs", n)
	}
	if diff := cmp.Diff(with("g").Jobs[0].Stages[dag.Reduce].Groups, profile.Jobs[0].Stages[dag.Reduce].Groups,
		cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-newest +profile)\n%.2000s", diff)
	}
	if !w.Runs[0].Means || len(w.Runs[0].Profile) > 4096 {
		t.Errorf("the oldest run keeps %d bytes", len(w.Runs[0].Profile))
	}
}
