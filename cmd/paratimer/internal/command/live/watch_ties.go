package live

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/fleet"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/rules"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// ties connects each workflow of a fleet with its key groups from taps, with the history of its runs, and with the
// sinks of its alerts.
func ties(c *cli.Context, keys *collector) (tie func(fleet.Watched) (fleet.Hooks, error), untie func(), err error) {
	log := command.Logger(c)
	told, untie, err := follow.Dispatcher(c, time.Now)
	if err != nil {
		return nil, nil, err
	}
	store := input.StateOrNone(c, log)
	return func(w fleet.Watched) (fleet.Hooks, error) {
		usual := time.Duration(0)
		rec := &history.Recorder{
			Store: store, Log: log.With().Str("app", w.App).Logger(),
			Tell:  func(line string) { log.Debug().Str("app", w.App).Msg(line) },
			Known: func(d time.Duration, _ int) { usual = d },
		}
		leave := func() {}
		h := fleet.Hooks{
			Source: func(src watch.Source) watch.Source {
				leave() // the watch starts again
				src, leave = keys.source(src)
				return &input.Profiled{Source: src, Profiles: rec.Profiles}
			},
			Close: func(dag.State) { leave() },
			Usual: func() time.Duration { return usual },
			Join:  rec.Join,
		}
		if told == nil {
			return h, nil
		}
		dresses := map[string]notify.Dress{}
		part := told.Watch(dresses)
		h.Recall, h.Keep = part.Recall, part.Keep
		h.Hold = func(held []*rules.Rule) {
			clear(dresses)
			for _, r := range held {
				dresses[r.Name] = r.Dress()
			}
		}
		h.Close = func(dag.State) { leave(); part.Close() }
		return h, nil
	}, untie, nil
}
