package endurance

import (
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// snapshots is a source of earlier observations.
type snapshots = watch.Snapshots

// BenchmarkTick is one tick of a query of 100,000 tasks beside 1,988 other applications, from its snapshot to its
// range; what is observed is not part of it.
func BenchmarkTick(b *testing.B) {
	m := restsim.Crowd(b, "testdata/nightly.yaml", 999, 1_795_222_440_184, 10*time.Minute)
	id := join(b, m, wide())
	client, err := mapreduce.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://rm:8088"}}, JHS: "http://jhs:19888"},
		rest.Options{Transport: m, Now: m.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	src := mapreduce.NewSource(client, yarn.Target{ID: id})
	var seen snapshots
	for range 3 {
		s, err := src.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		seen = append(seen, s)
		if err := m.Advance(b.Context(), m.Now().Add(3*time.Second)); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("%d jobs, %d other applications", len(seen[2].Jobs), len(seen[2].Load))
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		ticks := seen
		w := watch.Watch{
			Source: &ticks, Estimators: follow.EstimatorSetOf(cost.Costs, follow.Battery{}, 0), Log: zerolog.Nop(),
		}
		for range 2 {
			if _, err := w.Step(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		if _, err := w.Step(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
