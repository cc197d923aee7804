package past

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A shownWorkflow is the JSON of `paratimer history show --output json`. Runs are in order, oldest first.
type shownWorkflow struct {
	Workflow     string   `json:"workflow"`
	IncludedRuns int      `json:"included_runs"`
	UsualSeconds *float64 `json:"usual_seconds"`
	// KeyGroups are the known key groups of its reduces; may be empty.
	KeyGroups []rememberedGroups `json:"key_groups"`
	Runs      []*listedRun       `json:"runs"`
}

// historyShow lists the runs of a workflow, and why nothing is learned from some.
func historyShow(c *cli.Context) error {
	if err := command.Arguments(c, 1, 1); err != nil {
		return err
	}
	w, err := namedWorkflow(c)
	if err != nil {
		return err
	}
	l, lines := listed(w), history.Lines(w, "")
	if c.String("output") == "json" {
		out := shownWorkflow{
			Workflow: l.Workflow, IncludedRuns: l.IncludedRuns, UsualSeconds: l.UsualSeconds,
			KeyGroups: keyGroupsOf(lines[0]),
		}
		for i := range w.Runs {
			out.Runs = append(out.Runs, runOf(inLines(lines, &w.Runs[i])))
		}
		return json.NewEncoder(c.App.Writer).Encode(out)
	}
	fmt.Fprintf(c.App.Writer, "%s: %s, learned from %d, usually %s\n", view.Escape(w.Name), units.Count(l.Runs, "run"),
		l.IncludedRuns, units.Known(l.UsualSeconds, units.Seconds))
	printGroups(c.App.Writer, keyGroupsOf(lines[0]))
	t := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "STARTED\tTOOK\tSTATE\tWEIGHT\tID\t")
	for i := range w.Runs {
		r := runOf(inLines(lines, &w.Runs[i]))
		weight := fmt.Sprintf("%.2f", r.WeightRatio)
		if r.Excluded != nil {
			weight = "- " + view.Escape(*r.Excluded)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t\n", units.Known(r.StartedAt, dayIn(command.Zone(c))),
			units.Known(r.TotalSeconds, units.Seconds), r.State, weight, view.Escape(r.ID))
	}
	return t.Flush()
}

// inLines returns a run of a workflow in its lines.
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

// namedWorkflow returns the stored workflow of the command's argument.
func namedWorkflow(c *cli.Context) (*state.Workflow, error) {
	store, err := input.OpenState(c)
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	return input.WorkflowOf(store, c.Args().First())
}

// rememberedGroups are the key groups of a job's reduces for the next run.
type rememberedGroups struct {
	Job     string          `json:"job"`
	Origin  dag.GroupOrigin `json:"origin"`
	Reduces int             `json:"reduces"`
	Sizes   int             `json:"sizes"` // sizes with an entry of their own; equal ones, and joined ones, count once
	Points  int             `json:"points"`
}

// keyGroupsOf returns the key groups in the profile of a line of runs; may be empty.
func keyGroupsOf(l history.Line) []rememberedGroups {
	out := []rememberedGroups{}
	profile, n := l.Profile()
	if n == 0 {
		return out
	}
	for j := range profile.Jobs {
		if !profile.Jobs[j].IsMapReduce() || profile.Jobs[j].Stages[dag.Reduce].Groups == nil {
			continue
		}
		g := profile.Jobs[j].Stages[dag.Reduce].Groups
		r := rememberedGroups{Job: profile.Jobs[j].Node, Origin: g.Origin, Reduces: len(g.Reduces)}
		for i := range g.Reduces {
			r.Sizes += len(g.Reduces[i].Explicit)
			r.Points += len(g.Reduces[i].Done)
		}
		out = append(out, r)
	}
	return out
}

func printGroups(w io.Writer, all []rememberedGroups) {
	for _, g := range all {
		fmt.Fprintf(w, "key groups of %s: %d reduces, %d sizes, %d times, by %s\n", view.Escape(g.Job), g.Reduces,
			g.Sizes, g.Points, measurers[g.Origin])
	}
}

// measurers describes the sources of key groups.
var measurers = map[dag.GroupOrigin]string{
	dag.GroupsNone: "unknown", dag.GroupsTapped: "the tap",
	dag.GroupsComplete: "somebody who knows all keys",
}
