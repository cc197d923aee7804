package live

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

func listCommand() *cli.Command {
	return command.New("list", "", "list what runs on the cluster, or the Spark drivers of this machine, with ids", list)
}

// A listedApp is an application that runs or waits to.
type listedApp struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Engine    string     `json:"engine"`
	User      string     `json:"user,omitempty"`
	Queue     string     `json:"queue,omitempty"`
	URL       string     `json:"url,omitempty"` // of a driver's web page
	StartedAt *time.Time `json:"started_at"`
}

// list prints what runs, the newest first.
func list(c *cli.Context) error {
	if err := command.Arguments(c, 0, 0); err != nil {
		return err
	}
	all, now, err := listedApps(c)
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b listedApp) int {
		return cmp.Or(-cmp.Compare(unixOf(a.StartedAt), unixOf(b.StartedAt)), strings.Compare(a.ID, b.ID))
	})
	if c.String("output") == "json" {
		return json.NewEncoder(c.App.Writer).Encode(map[string]any{"applications": all})
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(c.App.Writer, "nothing runs")
		return err
	}
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tENGINE\tUSER\tWHERE\tSTARTED")
	for i := range all {
		a := &all[i]
		started := units.Unknown
		if a.StartedAt != nil {
			started = units.Ago(now.Time().Sub(*a.StartedAt))
		}
		for _, cell := range []string{a.ID, a.Name, a.Engine, cmp.Or(a.User, "-"), cmp.Or(a.URL, "queue "+a.Queue)} {
			fmt.Fprintf(w, "%s\t", view.Escape(cell))
		}
		fmt.Fprintln(w, started)
	}
	return w.Flush()
}

// listedApps returns the applications of the cluster or, if none is set, the Spark drivers of this machine.
func listedApps(c *cli.Context) (all []listedApp, now dag.Instant, err error) {
	all = []listedApp{}
	if !input.HasCluster(c) {
		drivers, now, err := input.LocalDrivers(c.Context, c)
		for _, d := range drivers {
			all = append(all, listedApp{
				ID: d.ID, Name: d.Name, Engine: "Spark", URL: d.URL, StartedAt: timeOf(d.Began),
			})
		}
		return all, now, err
	}
	client, err := input.NewClient(c, nil)
	if err != nil {
		return nil, now, err
	}
	defer client.Close()
	hub := engine.NewHub(client, client)
	if err := hub.Refresh(c.Context); err != nil {
		return nil, now, err
	}
	for _, s := range hub.Running() {
		all = append(all, listedApp{
			ID: s.App, Name: cmp.Or(s.Title, s.Name), Engine: cmp.Or(s.Engine, "MapReduce"), User: s.User, Queue: s.Queue,
			StartedAt: timeOf(s.At),
		})
	}
	return all, client.Now(), nil
}

func timeOf(at dag.Instant) *time.Time {
	if !at.Known() {
		return nil
	}
	t := at.Time()
	return &t
}

func unixOf(t *time.Time) int64 {
	if t == nil {
		return 0
	}
	return t.UnixMilli()
}
