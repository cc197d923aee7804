package paper

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/golden"
)

// TestGoldenAmounts compares the tuples that are done and those in all with the reference program's
// (docs/facts/paratimer.md A10).
func TestGoldenAmounts(t *testing.T) {
	compared, skipped := 0, 0
	for _, c := range golden.Load(t) {
		for i := range c.Instants {
			in := &c.Instants[i]
			got := map[string]float64{
				"luo_units_done":  total(amounts(in.Snapshot), 1).done,
				"luo_units_total": total(amounts(in.Snapshot), 1).total,
			}
			if !noisy(c) {
				got["luo_units_done_10s_ago"] = total(amounts(rewind(in.Snapshot, luoWindowMS)), 1).done
			}
			for _, field := range []string{"luo_units_done", "luo_units_total", "luo_units_done_10s_ago"} {
				want, listed := in.Expect[field].(float64)
				if !listed {
					continue
				}
				is, known := got[field]
				if !known {
					skipped++
					continue
				}
				compared++
				if math.Abs(is-want) > min(1e-6*math.Abs(want), 1e-3) {
					t.Errorf("%s t=%d %s = %v, want %v", c.Name, in.At, field, is, want)
				}
			}
		}
	}
	t.Logf("%d figures compared, %d could not be", compared, skipped)
	if compared == 0 {
		t.Fatal("nothing was compared")
	}
}
