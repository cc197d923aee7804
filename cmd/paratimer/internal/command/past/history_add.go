package past

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/units"
)

// An addedRun is one of `paratimer history add --output json`.
type addedRun struct {
	File     string          `json:"file"`
	Workflow string          `json:"workflow"`
	RunID    string          `json:"run_id"`
	State    string          `json:"state"`
	Total    *float64        `json:"total_seconds"`
	Outcome  history.Outcome `json:"outcome"`
	Excluded *string         `json:"excluded"`
	// Of --out: the file, what it has, and the warnings about it.
	Recording string   `json:"recording,omitempty"`
	Jobs      int      `json:"jobs,omitempty"`
	Snapshots int      `json:"snapshots,omitempty"`
	Remarks   []string `json:"remarks,omitempty"`
}

// written is the outcome of a run with --out.
const written history.Outcome = "written"

// historyAdd stores past runs, so that ranges are calibrated from the first day, or writes recordings of them. An
// unusable run does not prevent the others from being added.
func historyAdd(c *cli.Context) error {
	names := map[string]bool{}
	add := func(r input.RecordedRun) (addedRun, error) { return writeRun(c, r, names) }
	if c.String("out") == "" {
		store, err := input.OpenState(c)
		if err != nil {
			return command.Usage("%w", err)
		}
		add = func(r input.RecordedRun) (addedRun, error) { return addRun(c, store, r) }
	}
	recordings, bad := input.RecordedRuns(c, c.Args().Slice())
	added := []addedRun{}
	for _, r := range recordings {
		a, err := add(r)
		switch {
		case c.Context.Err() != nil:
			return context.Cause(c.Context)
		case err != nil && strings.HasPrefix(err.Error(), r.Name+": "):
			bad = append(bad, command.Usage("%w", err))
			continue
		case err != nil:
			bad = append(bad, command.Usage("%s: %w", r.Name, err))
			continue
		}
		a.File = r.Name
		added = append(added, a)
		if c.String("output") == "text" {
			fmt.Fprintln(c.App.Writer, a)
		}
	}
	printed := func(io.Writer) error { return nil } // a line each
	return cmp.Or(command.Print(c, map[string]any{"runs": added}, printed), errors.Join(bad...))
}

func (a addedRun) String() string {
	total := units.Known(a.Total, units.Seconds)
	line := fmt.Sprintf("%s: %s: %s after %s, %s", view.Escape(a.File), view.Escape(a.Workflow), a.State, total, a.Outcome)
	if a.Recording != "" {
		line = fmt.Sprintf("%s: %s \"%s\", %s, %s, %s, %s", view.Escape(a.Recording), view.Escape(a.RunID),
			view.Escape(a.Workflow), units.Count(a.Jobs, "job"), a.State, total, units.Count(a.Snapshots, "observation"))
	}
	if a.Excluded != nil {
		line += "; nothing is learned from it: " + *a.Excluded
	}
	for _, text := range a.Remarks {
		line += "\n  " + view.Escape(text)
	}
	return line
}

// openAdded opens a run with the key groups of --spool. It ends after the snapshot for which isLast is true.
func openAdded(c *cli.Context, r input.RecordedRun, isLast func(*dag.Snapshot) bool) (watch.Source, error) {
	src, err := r.Open()
	if err != nil {
		return nil, err
	}
	return input.Spooled(c, src.Until(isLast))
}

// addRun replays a run as a watch, with the profile of the runs before it, and stores it.
func addRun(c *cli.Context, store *state.Store, recorded input.RecordedRun) (a addedRun, err error) {
	ticks, ended, err := ticksOf(c.Context, recorded)
	switch {
	case err != nil:
		return a, err
	case !ended.Ended():
		return a, fmt.Errorf("the recording ends while the query is %s: only finished runs can be remembered", ended)
	}
	src, err := openAdded(c, recorded, hasEnded)
	if err != nil {
		return a, err
	}
	rec := &history.Recorder{Store: store, Log: *command.Logger(c), Past: true}
	p := follow.EstimatorSetOf(cost.Costs, follow.Battery{}, 0)
	p.Model = nil // only the range is stored
	p.Scenarios = []estimators.Estimator{only{p.Scenarios[0], ticks}}
	p.Sampled = only{p.Sampled, ticks}
	w := watch.Watch{Source: src, Estimators: p, Log: *command.Logger(c)}
	rec.Join(&w)
	if _, err := w.Run(c.Context); err != nil {
		return a, err
	}
	if rec.Ended == nil {
		return a, errors.New("the run has no name, or could not be stored")
	}
	r := &rec.Ended.Run
	return addedRun{
		Workflow: rec.Ended.Workflow, RunID: r.ID, State: r.State, Total: orNil(max(0, r.TotalSeconds)),
		Outcome: rec.Ended.Outcome, Excluded: orNil(r.Excluded),
	}, nil
}

// writeRun writes the observations of a run to a recording in the folder of --out.
func writeRun(c *cli.Context, r input.RecordedRun, names map[string]bool) (a addedRun, err error) {
	src, err := openAdded(c, r, nil)
	if err != nil {
		return a, err
	}
	name := fileName(cmp.Or(r.ID, r.Name))
	free := name
	for n := 2; names[free]; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	names[free] = true
	a.Outcome, a.Recording = written, filepath.Join(c.String("out"), free+".jsonl.zst")
	if err := os.MkdirAll(c.String("out"), 0o777); err != nil {
		return a, fmt.Errorf("cannot make the folder of the recordings: %w", err)
	}
	var run dag.Run
	err = command.WriteFile(a.Recording, func(w io.Writer) error {
		checked := bufio.NewWriter(w) // its Flush repeats an earlier error, after which a Tee continues
		packed := recording.Compress(checked)
		run, err = input.Played(c.Context, r.Name, recording.Tee(src, packed), func(*dag.Snapshot) { a.Snapshots++ })
		return cmp.Or(err, packed.Close(), checked.Flush())
	})
	if err != nil {
		return a, err
	}
	last := run.Now()
	total := input.TotalSeconds(last)
	a.Workflow, a.RunID, a.Jobs = last.Plan.Name, cmp.Or(r.ID, last.ID), len(last.Plan.Jobs)
	a.State, a.Total = last.State.String(), &total
	a.Remarks = units.Each(last.Warnings, func(w dag.Warning) string { return w.Text })
	return a, nil
}

// fileName returns a file name, without its extension, for an id or the file of a run. Ids come from files, so they
// must not lead out of a folder.
func fileName(of string) string {
	const longest = 150
	name := filepath.Base(filepath.Clean(of))
	for _, ext := range []string{".gz", ".zst", ".jsonl", ".tape", ".jhist", ".json"} {
		name = strings.TrimSuffix(name, ext)
	}
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, name)
	return cmp.Or(strings.TrimLeft(name[:min(len(name), longest)], "."), "workflow")
}
