package endurance

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/fleet"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/metrics"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// TestTwelveHoursWatched: a watch of twelve hours in which 60 workflows (with PARATIMER_LONG 180) come and go retains
// what it did after the first one.
func TestTwelveHoursWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		each := time.Duration(fixtures.Long(12, 4)) * time.Minute
		n := int(12 * time.Hour / each)
		dir := t.TempDir()
		m := restsim.Empty(dag.InstantOf(time.Now()))
		client, err := mapreduce.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: "http://rm:8088"}}, JHS: "http://jhs:19888"},
			rest.Options{Transport: m, Now: m.Now})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		store, err := state.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		all, err := fleet.ParseRules([]byte("rules:\n  - {name: late, match: {user: alice}, within: 1s}\n"), "rules.yaml",
			time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		meter := metrics.New(metrics.Options{Every: 30 * time.Second})
		ended := 0
		many := fleet.New(fleet.Options{
			Cluster: engine.NewHub(fleet.Budget(client, 300), client),
			Open: func(string) fleet.Hooks {
				rec := &history.Recorder{Store: store, Log: zerolog.Nop()}
				return fleet.Hooks{
					Join: func(w *watch.Watch) {
						w.Source = rec.Source(w.Source)
						rec.Join(w)
					},
					Rules: func([]*fleet.Rule) time.Duration { return 0 }, Close: func() {},
				}
			},
			Estimators: func() watch.EstimatorSet { return follow.EstimatorSetOf(cost.Costs, follow.Battery{}, 16) },
			Sinks: []watch.Sink{meter, watch.SinkFunc(func(tick frame.Tick) error {
				if tick.Frame.Workflow.State.Ended() {
					ended++
				}
				return nil
			})},
			Listed: func(dag.Instant, []fleet.Blocking) {},
			Every:  30 * time.Second, Most: 2 * time.Minute, Workers: 2, Drain: time.Second, Log: zerolog.Nop(),
		}, all)
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan error, 1)
		go func() { done <- many.Run(ctx) }()
		kept := map[int]uint64{}
		for i := range n {
			p, err := planfile.ReadFile("../../examples/pig-join.yaml", planfile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p.Name = fmt.Sprintf("nightly_%d.pig", i%20)
			run, err := simulate.New(p, simulate.Options{
				Seed: uint64(i), Noise: 0.2, Know: simulate.Nothing,
				Every: 5 * time.Second, Start: dag.InstantOf(time.Now()),
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Add(ctx, run); err != nil {
				t.Fatal(err)
			}
			for range int(each / (5 * time.Second)) {
				time.Sleep(5 * time.Second)
				if err := m.Advance(ctx, dag.InstantOf(time.Now())); err != nil {
					t.Fatal(err)
				}
			}
			m.Forget(m.Now().Add(-20 * time.Minute))
			if at := time.Duration(i+1) * each; at%time.Hour == 0 {
				synctest.Wait()
				kept[int(at/time.Hour)] = retained()
			}
		}
		cancel(command.ErrInterrupted)
		if err := <-done; !errors.Is(err, command.ErrInterrupted) {
			t.Errorf("it ended with %v", err)
		}
		if ended < n-10 {
			t.Errorf("%d of %d ends were seen", ended, n)
		}
		checkRetained(t, kept)
	})
}
