package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// historyCommand is `paratimer history`: what is remembered of earlier runs.
func historyCommand() *cli.Command {
	out := &cli.StringFlag{Name: "out", Aliases: []string{"o"}, EnvVars: env("out"), Usage: "write the profile to `FILE` (default: stdout)"}
	return group("history", "what is remembered of earlier runs: their profiles, their usual length",
		command("list", "", "list the workflows of which runs are remembered", historyList, stateFlag(), outputFlag("text", "json")),
		command("show", "NAME", "list the runs of a workflow, what each of them counts, and why some do not", historyShow, stateFlag(), outputFlag("text", "json")),
		command("forget", "[NAME]", "forget a workflow, one run of it, or all workflows", historyForget, stateFlag(),
			&cli.StringFlag{Name: "run", EnvVars: env("run"), Usage: "forget only the run with this `ID`"},
			&cli.BoolFlag{Name: "all", EnvVars: env("all"), Usage: "forget all workflows"}),
		command("export", "NAME", "write the profile that the next run would be given, for --profile", historyExport, stateFlag(), out,
			&cli.StringFlag{Name: "before", EnvVars: env("before"), Usage: "as the run with this `ID` was given it: of the runs before it"}),
		command("add", "FILE...", "remember recorded runs: tapes, captures, job history files or folders of them", historyAdd,
			append(recordingFlags(), spoolFlag(), stateFlag(), outputFlag("text", "json"))...),
	)
}

// A listed workflow is one of `paratimer history list --output json`. Unknown is null.
type listedWorkflow struct {
	Workflow     string     `json:"workflow"`
	Runs         int        `json:"runs"`
	IncludedRuns int        `json:"included_runs"`
	UsualSeconds *float64   `json:"usual_seconds"`
	LastRun      *listedRun `json:"last_run"`
}

// A listed run is one of `paratimer history show --output json`.
type listedRun struct {
	ID             string     `json:"id"`
	Script         string     `json:"script"`
	User           *string    `json:"user"`
	StartedAt      *time.Time `json:"started_at"`
	EndedAt        *time.Time `json:"ended_at"`
	State          string     `json:"state"`
	TotalSeconds   *float64   `json:"total_seconds"`
	WatchedSeconds float64    `json:"watched_seconds"`
	WeightRatio    float64    `json:"weight_ratio"` // what it counts beside the newest; 0: nothing is learned from it
	Excluded       *string    `json:"excluded"`     // why nothing is learned from it
}

func runOf(r *history.Run) *listedRun {
	return &listedRun{
		ID: r.ID, Script: r.Script, User: textOrNil(r.User), StartedAt: timeOrNil(r.StartedAt), EndedAt: timeOrNil(r.EndedAt), State: r.State,
		TotalSeconds: secondsOrNil(r.TotalSeconds), WatchedSeconds: r.WatchedSeconds,
		WeightRatio: math.Round(r.Weight*1000) / 1000, Excluded: textOrNil(r.Why),
	}
}

func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func secondsOrNil(s float64) *float64 {
	if s <= 0 {
		return nil
	}
	return &s
}

// historyList lists the workflows. Files that cannot be read are told after those that can.
func historyList(c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	store, err := openState(c)
	if err != nil {
		return usage("%w", err)
	}
	// How runs are weighed may change with the program, whose version names what is kept.
	is := thisBuild()
	made, unreadable := store.Summaries("history list of "+is.Version+" "+is.Revision, func(w *state.Workflow) (json.RawMessage, error) {
		if len(w.Runs) == 0 {
			return json.RawMessage("null"), nil // it is there for alerts only
		}
		return json.Marshal(listed(w))
	})
	all := []listedWorkflow{}
	for _, b := range made {
		var l listedWorkflow
		if err := json.Unmarshal(b, &l); err != nil || l.LastRun == nil {
			return usage("state: summaries.cache in the state folder was changed by somebody: remove it, it can be made again")
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b listedWorkflow) int { return strings.Compare(a.Workflow, b.Workflow) })
	if err := printList(c, all); err != nil {
		return err
	}
	if unreadable != nil {
		return usage("%w", unreadable)
	}
	return nil
}

func listed(w *state.Workflow) listedWorkflow {
	l := listedWorkflow{Workflow: w.Name, Runs: len(w.Runs)}
	lines := history.Lines(w, "")
	var usual time.Duration
	usual, _ = lines[0].Usual()
	l.UsualSeconds = secondsOrNil(usual.Seconds())
	last := &w.Runs[len(w.Runs)-1]
	for _, line := range lines {
		for i := range line {
			if line[i].Weight > 0 {
				l.IncludedRuns++
			}
			if line[i].Run == last {
				l.LastRun = runOf(&line[i])
			}
		}
	}
	return l
}

func printList(c *cli.Context, all []listedWorkflow) error {
	if c.String("output") == "json" {
		return json.NewEncoder(c.App.Writer).Encode(map[string]any{"workflows": all})
	}
	if len(all) == 0 {
		fmt.Fprintln(c.App.Writer, "no runs are remembered yet: `paratimer attach` remembers those that it watches, `paratimer history add` recorded ones")
		return nil
	}
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WORKFLOW\tRUNS\tLEARNED FROM\tUSUAL\tLAST RUN\t")
	for _, l := range all {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s, %s\t\n", view.Escape(l.Workflow), l.Runs, l.IncludedRuns, length(l.UsualSeconds), day(l.LastRun.StartedAt), l.LastRun.State)
	}
	return w.Flush()
}

func length(s *float64) string {
	if s == nil {
		return "?"
	}
	d := time.Duration(*s * float64(time.Second))
	if d >= time.Minute {
		d = d.Round(time.Second)
	}
	return d.Round(100 * time.Millisecond).String()
}

func day(t *time.Time) string {
	if t == nil {
		return "?"
	}
	return t.Format("2006-01-02 15:04")
}
