package simulate

import (
	"context"
	"errors"
	"io"
	"testing"

	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

// A leg that ends because nothing happens changes nothing: the state at any instant has all that the future depends
// on.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		o := drawOptions(t, p)
		whole, err := New(p, o)
		if err != nil {
			t.Fatal(err)
		}
		cut, err := New(p, o)
		if err != nil {
			t.Fatal(err)
		}
		w := cut.run
		for range rapid.IntRange(1, 3).Draw(t, "cuts") {
			at := rapid.Int64Range(0, int64(min(w.end-o.Start, 200_000))).Draw(t, "cut")
			w.schedule(event{o.Start + dag.Instant(at), func() {}})
		}
		for {
			a, err := whole.Next(context.Background())
			b, errCut := cut.Next(context.Background())
			if !errors.Is(errCut, err) {
				t.Fatalf("%v, cut %v", err, errCut)
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if a.At != b.At || a.State != b.State {
				t.Fatalf("%v at %d, cut %v at %d", a.State, a.At, b.State, b.At)
			}
			for j := range a.Jobs {
				for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
					want, got := a.Jobs[j].Stages[k].Attempts, b.Jobs[j].Stages[k].Attempts
					if len(want) != len(got) {
						t.Fatalf("at %d job %d:\n%s\ncut\n%s", a.At, j, brief(want), brief(got))
					}
					for i := range want {
						if !equal(want[i], got[i]) {
							t.Fatalf("at %d job %d:\n%+v\ncut\n%+v", a.At, j, want[i], got[i])
						}
					}
				}
			}
		}
	})
}
