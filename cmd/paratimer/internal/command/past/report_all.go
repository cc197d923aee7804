package past

import (
	"context"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/fleet"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/livepage"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/rules"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
)

// Fixed settings for a page of all queries; `paratimer watch --listen` has flags for them.
const (
	allMost    = time.Minute // the longest time between two observations of a query
	allBudget  = 100         // requests per second to masters and the history server
	allWorkers = 2
	allDrain   = 300 * time.Millisecond
)

// Reports whether a user set a bound.
func asked(held []alert.Bound) bool {
	return slices.ContainsFunc(held, func(b alert.Bound) bool { return !b.Quiet })
}

// reportAll serves a page of every query of the cluster, each with its live report, until it is interrupted.
func reportAll(ctx context.Context, c *cli.Context) error {
	every, err := observedEvery(c)
	if err != nil {
		return err
	}
	profiles, err := input.ReadProfiles(c)
	if err != nil {
		return err
	}
	client, err := input.NewClient(c, nil)
	if err != nil {
		return err
	}
	defer client.Close()
	model, log := follow.ModelOf(c), command.Logger(c)
	store := input.StateOrNone(c, log)
	board := livepage.NewBoard(model, every, command.Zone(c))
	stop, err := servePage(ctx, c, board.Serve)
	if err != nil {
		return err
	}
	defer stop()
	return fleet.New(fleet.Options{
		Cluster: engine.NewHub(fleet.Budget(client, allBudget), client),
		Open: func(w fleet.Watched) (fleet.Hooks, error) {
			rec := &history.Recorder{
				Store: store, Given: profiles, Log: log.With().Str("app", w.App).Logger(),
				Tell:  func(line string) { log.Debug().Str("app", w.App).Msg(line) },
				Known: func(time.Duration, int) {},
			}
			return fleet.Hooks{
				Source: func(src watch.Source) watch.Source {
					return &input.Profiled{Source: src, Profiles: rec.Profiles}
				},
				Join: rec.Join,
			}, nil
		},
		Estimators: func() watch.EstimatorSet { return follow.EstimatorSetOf(model, follow.Battery{}, 0) },
		Shown:      func(_ fleet.Watched, tick frame.Tick) error { return board.Show(tick) },
		Left:       func(w fleet.Watched) { board.Forget(w.ID) },
		Every:      every, Most: allMost, Workers: allWorkers, Drain: allDrain, Log: log,
	}, rules.Everything()).Run(ctx)
}
