// Package live has the commands for running queries on a cluster: attach, watch with its rules, check, skew and doctor.
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

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// Commands returns the commands of this package, in the order of the help.
func Commands() []*cli.Command {
	return []*cli.Command{
		follow.Command("attach", "[ID|URL|EVENT_LOG]",
			"watch a running query to its end: the newest, or the named one", attach),
		follow.Command("watch", "[RECORDING...]",
			"watch all queries of a cluster that match a rule, and alert before one is late", watchMany),
		checkCommand(),
		command.New("list", "", "list what runs on the cluster, or the Spark drivers of this machine, with ids", list),
		follow.Command("status", "[ID|NAME]", "show the state of a query once, and exit with 0, 1 if it failed, or 3 if its result is unknown", status),
		follow.Command("wait", "[APP_ID|JOB_ID|WORKFLOW_ID]",
			"wait for the end of a query, and exit with its result (0 succeeded, 1 failed)", wait),
		command.New("run", "-- COMMAND [ARGUMENT]...",
			"run a command that submits a query, watch the query, and exit with the command's exit code", run),
		follow.Command("doctor", "",
			"check which services of a cluster or a Spark driver answer, or the sinks of alerts, and suggest fixes", doctor),
	}
}

// A listedApp is an application that runs or waits to.
type listedApp struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Engine    string      `json:"engine"`
	User      string      `json:"user,omitempty"`
	Queue     string      `json:"queue,omitempty"`
	URL       string      `json:"url,omitempty"` // of a driver's web page
	StartedAt *frame.Time `json:"started_at"`
}

// list prints what runs, the newest first.
func list(c *cli.Context) error {
	cluster, err := input.OpenCluster(c)
	if err != nil {
		return err
	}
	defer cluster.Client.Close()
	if err := cluster.Refresh(c.Context); err != nil {
		return err //nolint:wrapcheck // it names the request
	}
	running, all := slices.Clone(cluster.Running()), []listedApp{}
	slices.SortStableFunc(running, func(a, b yarn.Submitted) int {
		return cmp.Or(cmp.Compare(b.At, a.At), strings.Compare(a.App, b.App))
	})
	rows := [][]string{{"ID", "NAME", "ENGINE", "USER", "WHERE", "STARTED"}}
	for _, s := range running {
		a, started, where := listedApp{
			s.App, cmp.Or(s.Title, s.Name), cmp.Or(s.Engine, "MapReduce"), s.User, s.Queue, s.URL, frame.TimeOf(s.At),
		}, units.Unknown, "no page"
		if s.At.Known() {
			started = units.Ago(cluster.Client.Now().Sub(s.At))
		}
		if a.Queue != "" {
			where = "queue " + a.Queue
		}
		rows = append(rows, []string{
			view.Escape(a.ID), view.Escape(a.Name), a.Engine, view.Escape(cmp.Or(a.User, "-")),
			view.Escape(cmp.Or(a.URL, where)), started,
		})
		all = append(all, a)
	}
	return command.Print(c, map[string]any{"applications": all}, func(w io.Writer) error {
		if len(all) == 0 {
			_, err := fmt.Fprintln(w, "nothing runs")
			return err
		}
		return view.Table(w, 0, rows)
	})
}

// statusTime bounds the time of the observations that measure the speed of tasks.
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
