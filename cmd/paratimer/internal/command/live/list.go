package live

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A listedApp is an application that runs or waits to.
type listedApp struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Engine    string      `json:"engine"`
	User      string      `json:"user,omitempty"`
	Queue     string      `json:"queue,omitempty"`
	URL       string      `json:"url,omitempty"` // of a driver's web page
	StartedAt *frame.Time `json:"started_at"`
	started   dag.Instant
}

// list prints what runs, the newest first.
func list(c *cli.Context) error {
	all, now, err := listedApps(c)
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b listedApp) int {
		return cmp.Or(cmp.Compare(b.started, a.started), strings.Compare(a.ID, b.ID))
	})
	rows := [][]string{{"ID", "NAME", "ENGINE", "USER", "WHERE", "STARTED"}}
	for i := range all {
		a, started, where := &all[i], units.Unknown, "no page"
		if a.StartedAt = frame.TimeOf(a.started); a.StartedAt != nil {
			started = units.Ago(now.Sub(a.started))
		}
		if a.Queue != "" {
			where = "queue " + a.Queue
		}
		rows = append(rows, []string{
			view.Escape(a.ID), view.Escape(a.Name), a.Engine, view.Escape(cmp.Or(a.User, "-")),
			view.Escape(cmp.Or(a.URL, where)), started,
		})
	}
	return command.Print(c, map[string]any{"applications": view.List(all)}, func(w io.Writer) error {
		if len(all) == 0 {
			_, err := fmt.Fprintln(w, "nothing runs")
			return err
		}
		return view.Table(w, 0, rows)
	})
}

// listedApps returns the applications of the cluster that the flags name or, if none is set, of this machine.
func listedApps(c *cli.Context) (all []listedApp, now dag.Instant, err error) {
	cluster, err := input.OpenCluster(c, nil)
	if err != nil {
		return nil, now, err
	}
	defer cluster.Client.Close()
	if err := cluster.Refresh(c.Context); err != nil {
		return nil, now, err //nolint:wrapcheck // it names the request
	}
	for _, s := range cluster.Running() {
		all = append(all, listedApp{
			ID: s.App, Name: cmp.Or(s.Title, s.Name), Engine: cmp.Or(s.Engine, "MapReduce"), User: s.User, Queue: s.Queue,
			URL: s.URL, started: s.At,
		})
	}
	return all, cluster.Client.Now(), nil
}

// statusTime bounds the time for observations, in which the speed of tasks shows.
const statusTime = 20 * time.Second

// status prints the state of a query in a few lines, or as a frame.
func status(c *cli.Context, f *follow.Flags) error {
	seen, err := observe(c, f, statusTime)
	switch {
	case errors.Is(err, input.ErrIdle) && !errors.As(err, new(command.UsageError)):
		return command.Usage("%w: `paratimer list` shows what runs", err)
	case err != nil:
		return err
	}
	err = follow.Lines(c).Show(frame.Tick{Frame: seen})
	if s := seen.Workflow.State; err == nil && s.Ended() {
		return follow.Ended(s)
	}
	return err
}
