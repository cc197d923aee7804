package live

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/fleet"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/serve"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

// fleetWorkers is the number of simultaneous observations. More would only take more memory: after the responses
// the work is computing.
const fleetWorkers = 2

// fleetDrain is how long running observations may take when the watch ends: Ctrl-C must not wait for slow
// responses.
const fleetDrain = 300 * time.Millisecond

// watchMany watches every workflow that matches a rule, until it is interrupted or times out.
func watchMany(c *cli.Context, f *follow.Flags) error {
	path, trial := c.String("rules"), c.String("test") != ""
	if !trial {
		if err := command.Arguments(c, 0, 0); err != nil {
			return err
		}
	}
	switch {
	case path == "" && (trial || c.Bool("check")):
		return command.Usage("which rules? --check and --test need --rules FILE")
	case trial:
		return testRules(c, f)
	case c.Bool("check"):
		return checkRules(c)
	}
	if path == "" && c.String("listen") == "" && !follow.FullScreen(c) {
		return command.Usage("which workflows? Give --rules FILE, or --listen ADDRESS for a page of all; one workflow alone is watched by `paratimer attach`")
	}
	every, most := c.Duration("every"), c.Duration("most")
	if most < every {
		return command.Usage("most %v is less than --every %v", most, every)
	}
	all := fleet.Everything()
	if path != "" {
		var err error
		if all, err = readRules(c, path); err != nil {
			return err
		}
	}
	cluster, err := input.OpenCluster(c)
	if err != nil {
		return err
	}
	defer cluster.Client.Close()
	ctx := c.Context
	if cluster.IsLocal && cluster.Refresh(ctx) == nil && len(cluster.Running()) == 0 {
		_, err := input.NewClient(c, nil) // no cluster is named
		return err
	}
	meter, done, err := command.ServeMetrics(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	full := follow.FullScreen(c) && !c.Bool("dry-run")
	var text *fleetText
	var sinks []watch.Sink
	switch output := c.String("output"); {
	case full || output == "none":
	case output == "text":
		text = &fleetText{out: c.App.Writer, zone: command.Zone(c), reported: map[string]alertStates{}}
		sinks = append(sinks, text)
	default:
		sinks = append(sinks, view.NDJSON{Writer: c.App.Writer})
	}
	if meter != nil {
		sinks = append(sinks, meter)
	}
	board, unserve, err := serveBoard(c, full)
	if err != nil {
		return err
	}
	defer unserve()
	if board != nil {
		sinks = append(sinks, board)
	}
	shown := follow.Fleet(c, board.Queries)
	if full {
		sinks = append(sinks, shown)
	}
	keys, err := collecting(c)
	if err != nil {
		return err
	}
	defer keys.close()
	tie, untie, err := ties(c, keys)
	if err != nil {
		return err
	}
	defer untie()
	options := fleet.Options{
		Cluster: cluster, Open: tie, Sinks: sinks,
		Estimators: func() watch.EstimatorSet { return follow.EstimatorSetOf(cost.Costs, f.Shown, 0) },
		Listed: func(at dag.Instant, lasting []fleet.Blocking) {
			if meter != nil {
				meter.Observed()
			}
			if text != nil {
				text.blockings(at, lasting)
			}
		},
		Every: every, Most: most, Workers: fleetWorkers, Drain: fleetDrain, Log: *command.Logger(c),
	}
	many := fleet.New(options, all)
	rereadRules(c, path, many)
	command.Logger(c).Info().Int("rules", len(all)).Msg("watching")
	if full {
		return shown.Run(ctx, many.Run)
	}
	return many.Run(ctx)
}

// rereadRules reads the rules again at each SIGHUP until the end of the context. Without a file, and if it cannot be
// read, the rules stay.
func rereadRules(c *cli.Context, path string, many *fleet.Fleet) {
	log, hangups := command.Logger(c), make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	context.AfterFunc(c.Context, func() { signal.Stop(hangups); close(hangups) })
	go func() {
		for range hangups {
			if path == "" {
				continue
			}
			again, err := fleet.ReadRules(path, c.App.Reader, command.Zone(c))
			if err != nil {
				log.Error().Err(err).Msg("the rules cannot be read again; those from before stay")
				continue
			}
			many.SetRules(again)
			log.Info().Int("rules", len(again)).Msg("the rules were read again")
		}
	}()
}

// serveBoard returns a board of all queries, for the screen or for the page of --listen; nil without both. It logs
// the page's address.
func serveBoard(c *cli.Context, onScreen bool) (b *serve.Board, stop func(), err error) {
	isServed := c.String("listen") != ""
	if isServed || onScreen {
		b = serve.NewBoard(cost.Costs, c.Duration("every"), command.Zone(c))
	}
	if !isServed {
		return b, func() {}, nil
	}
	url, stop, err := command.Serve(c, "listen", "the page is", b.Handler(), serve.PageLimits)
	if err == nil {
		command.Logger(c).Info().Msgf("all queries at %s/", url)
	}
	return b, stop, err
}

// ties connects each workflow of a fleet with its key groups from taps, with the history of its runs, and with the
// sinks of its alerts.
func ties(c *cli.Context, keys *collector) (tie func(app string) fleet.Hooks, untie func(), err error) {
	log := command.Logger(c)
	dispatcher, untie, err := follow.Dispatcher(c, time.Now)
	if err != nil {
		return nil, nil, err
	}
	store := input.StateOrNone(c)
	return func(app string) fleet.Hooks {
		usual, leave, dresses := time.Duration(0), func() {}, map[string]notify.Dress{}
		rec := &history.Recorder{
			Store: store, Log: log.With().Str("app", app).Logger(),
			Report: func(line string) { log.Debug().Str("app", app).Msg(line) },
			Known:  func(d time.Duration) { usual = d },
		}
		part := dispatcher.Watch(dresses)
		return fleet.Hooks{
			Join: func(begun *watch.Watch) {
				leave() // the watch starts again
				begun.Source, leave = keys.source(begun.Source)
				begun.Source = rec.Source(begun.Source)
				rec.Join(begun)
				begun.Recall, begun.Keep = part.Recall, part.Keep
			},
			Rules: func(rules []*fleet.Rule) time.Duration {
				clear(dresses)
				for _, r := range rules {
					dresses[r.Name] = r.Dress()
				}
				return usual
			},
			Close: func() {
				leave()
				part.Close()
			},
		}
	}, untie, nil
}
