package runreport

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/estimators/cost"
)

// The cost of a chart of 100,000 tasks, of a run that has ended and of one that goes on.
func BenchmarkChart100k(b *testing.B) {
	for name, until := range map[string]time.Duration{"over": 0, "running": 500 * time.Second} {
		opt := simulate.Options{Seed: 1, Noise: 0.2, Every: 100 * time.Second}
		run, marks := simulated(b, wide(100_000), opt, until)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c, _, err := ChartOf(run, cost.Costs)
				if err != nil || len(c.Panels) == 0 || len(c.Panels[0].Bars) > MostBars {
					b.Fatal(err)
				}
			}
		})
		b.Run("account/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := attributionOf(run.Now(), marks, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
