package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// A shownWorkflow is what `paratimer history show --output json` prints. Runs are in order, oldest first.
type shownWorkflow struct {
	Workflow     string   `json:"workflow"`
	IncludedRuns int      `json:"included_runs"`
	UsualSeconds *float64 `json:"usual_seconds"`
	// KeyGroups are what is known of the keys of its reduces; an empty list where nothing is.
	KeyGroups []rememberedGroups `json:"key_groups"`
	Runs      []*listedRun       `json:"runs"`
}

// historyShow lists the runs of a workflow, and why nothing is learned from some.
func historyShow(c *cli.Context) error {
	if err := arguments(c, 1, 1); err != nil {
		return err
	}
	w, err := namedWorkflow(c)
	if err != nil {
		return err
	}
	l, lines := listed(w), history.Lines(w, "")
	if c.String("output") == "json" {
		out := shownWorkflow{Workflow: l.Workflow, IncludedRuns: l.IncludedRuns, UsualSeconds: l.UsualSeconds, KeyGroups: keyGroupsOf(lines[0])}
		for i := range w.Runs {
			out.Runs = append(out.Runs, runOf(inLines(lines, &w.Runs[i])))
		}
		return json.NewEncoder(c.App.Writer).Encode(out)
	}
	fmt.Fprintf(c.App.Writer, "%s: %d runs, learned from %d of them, usually %s\n", view.Escape(w.Name), l.Runs, l.IncludedRuns, length(l.UsualSeconds))
	printGroups(c.App.Writer, keyGroupsOf(lines[0]))
	t := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "STARTED\tTOOK\tSTATE\tWEIGHT\tID\t")
	for i := range w.Runs {
		r := runOf(inLines(lines, &w.Runs[i]))
		weight := fmt.Sprintf("%.2f", r.WeightRatio)
		if r.Excluded != nil {
			weight = "- " + view.Escape(*r.Excluded)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t\n", day(r.StartedAt), length(r.TotalSeconds), r.State, weight, view.Escape(r.ID))
	}
	return t.Flush()
}

// inLines is a run of a workflow in its lines.
func inLines(lines []history.Line, r *state.Run) *history.Run {
	for _, line := range lines {
		for i := range line {
			if line[i].Run == r {
				return &line[i]
			}
		}
	}
	return nil
}

// workflowOf is the workflow that a user names, by its name or a script's path.
func workflowOf(store *state.Store, name string) (*state.Workflow, error) {
	w, err := store.Read(history.Key(name))
	if err != nil {
		return nil, usage("%w", err)
	}
	if len(w.Runs) > 0 {
		return w, nil
	}
	names, _ := store.List() // what cannot be read is not what is looked for
	if len(names) == 0 {
		return nil, usage("no run of %q is remembered, nor of any other workflow", name)
	}
	return nil, usage("no run of %q is remembered; there are runs of %s", name, strings.Join(names[:min(len(names), 20)], ", "))
}

// namedWorkflow is what is remembered of the workflow that the command's argument names.
func namedWorkflow(c *cli.Context) (*state.Workflow, error) {
	store, err := openState(c)
	if err != nil {
		return nil, usage("%w", err)
	}
	return workflowOf(store, c.Args().First())
}
