package observed

import (
	"fmt"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// BenchmarkSkew is what skew adds to a tick whose replay is made: of even jobs nothing but a look, of uneven ones all
// replays that a tick may make, and the predictions of their keys.
func BenchmarkSkew(b *testing.B) {
	for _, c := range []struct {
		jobs, points int
		uneven       bool
	}{{100, 0, false}, {10, 1000, false}, {10, 1000, true}} {
		s := tapped(c.jobs, c.points)
		for j := range s.Jobs {
			if !c.uneven {
				break
			}
			r := &s.Jobs[j].Groups.Reduces[7]
			large := 4e5 + 2e4*float64(j) // one job ends last: the others hold nothing back
			r.Bytes += large
			r.Explicit = append(r.Explicit, dag.GroupSize{Bytes: large, Count: 1})
			r.Top = []dag.KeyGroup{{Key: "#large", Bytes: large}}
		}
		b.Run(fmt.Sprintf("jobs=%d/points=%d/uneven=%v", c.jobs, c.points, c.uneven), func(b *testing.B) {
			w := estimators.NewReplayContext(runOf(s), Costs, estimators.Options{})
			if _, err := w.Schedule(); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				got, err := w.Skew(false)
				if err != nil || (len(got) > 0) != c.uneven {
					b.Fatalf("%v %v", got, err)
				}
			}
		})
	}
}
