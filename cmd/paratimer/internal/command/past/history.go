package past

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/units"
)

// A listedWorkflow is one of `paratimer history list --output json`. Unknown is null.
type listedWorkflow struct {
	Workflow     string     `json:"workflow"`
	Runs         int        `json:"runs"`
	IncludedRuns int        `json:"included_runs"`
	UsualSeconds *float64   `json:"usual_seconds"`
	LastRun      *listedRun `json:"last_run"`
}

// A shownWorkflow is the JSON of `paratimer history show --output json`. Runs are in order, oldest first.
type shownWorkflow struct {
	Workflow     string       `json:"workflow"`
	IncludedRuns int          `json:"included_runs"`
	UsualSeconds *float64     `json:"usual_seconds"`
	Runs         []*listedRun `json:"runs"`
}

// A listedRun is one of `paratimer history show --output json`.
type listedRun struct {
	ID             string     `json:"id"`
	Script         string     `json:"script"`
	User           *string    `json:"user"`
	StartedAt      *time.Time `json:"started_at"`
	EndedAt        *time.Time `json:"ended_at"`
	State          string     `json:"state"`
	TotalSeconds   *float64   `json:"total_seconds"`
	WatchedSeconds float64    `json:"watched_seconds"`
	WeightRatio    float64    `json:"weight_ratio"` // weight relative to the newest run; 0: nothing is learned from it
	Excluded       *string    `json:"excluded"`     // why nothing is learned from it
}

// orNil returns nil for a zero value, which JSON shows as null.
func orNil[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// started formats the run's start in the reader's zone.
func (r *listedRun) started(c *cli.Context) string {
	return units.Known(r.StartedAt, func(t time.Time) string { return units.Day(t.In(command.Zone(c))) })
}

// historyList lists the workflows. It reports files that cannot be read after the others.
func historyList(c *cli.Context) error {
	store, err := input.OpenState(c)
	if err != nil {
		return command.Usage("%w", err)
	}
	// The weights of runs may change with the program, so its version is part of the cache's name.
	is := command.ThisBuild()
	made, unreadable := store.Summaries("history list of "+is.Version+" "+is.Revision,
		func(w *state.Workflow) (json.RawMessage, error) {
			if len(w.Runs) == 0 {
				return json.RawMessage("null"), nil // the file exists only for alerts
			}
			l, _ := listed(w)
			return json.Marshal(l)
		})
	all := []listedWorkflow{}
	for _, b := range made {
		var l listedWorkflow
		if err := json.Unmarshal(b, &l); err != nil || l.LastRun == nil {
			return command.Usage(
				"state: summaries.cache in the state folder was changed by another program: remove it, it can " +
					"be made again")
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b listedWorkflow) int { return strings.Compare(a.Workflow, b.Workflow) })
	err = command.Print(c, map[string]any{"workflows": all}, func(w io.Writer) error {
		if len(all) == 0 {
			_, err := fmt.Fprintln(w, "no runs are remembered yet: `paratimer attach` remembers those that it watches, "+
				"`paratimer history add` recorded ones")
			return err
		}
		rows := [][]string{{"WORKFLOW", "RUNS", "LEARNED FROM", "USUAL", "LAST RUN"}}
		for _, l := range all {
			rows = append(rows, []string{
				view.Escape(l.Workflow), strconv.Itoa(l.Runs), strconv.Itoa(l.IncludedRuns),
				units.Known(l.UsualSeconds, units.Seconds), l.LastRun.started(c) + ", " + l.LastRun.State,
			})
		}
		return view.Table(w, 0, rows)
	})
	if err == nil && unreadable != nil {
		err = command.Usage("%w", unreadable)
	}
	return err
}

// listed returns a workflow, and its runs in order.
func listed(w *state.Workflow) (l listedWorkflow, runs []*listedRun) {
	lines := history.Lines(w, "")
	byRun := map[*state.Run]*history.Run{}
	for _, line := range lines {
		for i := range line {
			byRun[line[i].Run] = &line[i]
		}
	}
	usual, _ := lines[0].Usual()
	l = listedWorkflow{Workflow: w.Name, Runs: len(w.Runs), UsualSeconds: orNil(max(0, usual.Seconds()))}
	for i := range w.Runs {
		r := byRun[&w.Runs[i]]
		if r.Weight > 0 {
			l.IncludedRuns++
		}
		l.LastRun = &listedRun{
			ID: r.ID, Script: r.Script, User: orNil(r.User), StartedAt: orNil(r.StartedAt.UTC()),
			EndedAt: orNil(r.EndedAt.UTC()), State: r.State,
			TotalSeconds: orNil(max(0, r.TotalSeconds)), WatchedSeconds: r.WatchedSeconds,
			WeightRatio: math.Round(r.Weight*1000) / 1000, Excluded: orNil(r.Why),
		}
		runs = append(runs, l.LastRun)
	}
	return l, runs
}

// historyShow lists the runs of a workflow, and why nothing is learned from some.
func historyShow(c *cli.Context) error {
	w, err := namedWorkflow(c)
	if err != nil {
		return err
	}
	l, runs := listed(w)
	shown := shownWorkflow{l.Workflow, l.IncludedRuns, l.UsualSeconds, runs}
	return command.Print(c, shown, func(w io.Writer) error {
		fmt.Fprintf(w, "%s: %s, learned from %d, usually %s\n", view.Escape(l.Workflow), units.Count(len(runs), "run"),
			l.IncludedRuns, units.Known(l.UsualSeconds, units.Seconds))
		rows := [][]string{{"STARTED", "TOOK", "STATE", "WEIGHT", "ID"}}
		for _, r := range runs {
			weight := fmt.Sprintf("%.2f", r.WeightRatio)
			if r.Excluded != nil {
				weight = "- " + view.Escape(*r.Excluded)
			}
			rows = append(rows, []string{
				r.started(c), units.Known(r.TotalSeconds, units.Seconds), r.State, weight, view.Escape(r.ID),
			})
		}
		return view.Table(w, 0, rows)
	})
}

// namedWorkflow returns the stored workflow of the command's argument.
func namedWorkflow(c *cli.Context) (*state.Workflow, error) {
	store, err := input.OpenState(c)
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	return input.WorkflowOf(store, c.Args().First())
}

// historyForget removes runs. The watchers' state of alerts stays: sinks may still have to receive that they have
// ended.
func historyForget(c *cli.Context) error {
	id, all := c.String("run"), c.Bool("all")
	switch {
	case all && (c.NArg() > 0 || id != ""):
		return command.Usage("history forget: --all forgets everything: it goes with neither a name nor --run")
	case !all && c.NArg() == 0:
		return command.Usage("history forget: what? Give a workflow's name, or --all")
	}
	store, err := input.OpenState(c)
	if err != nil {
		return command.Usage("%w", err)
	}
	names, unreadable := store.List()
	if !all {
		w, err := input.WorkflowOf(store, c.Args().First())
		if err != nil {
			return err
		}
		names, unreadable = []string{w.Name}, nil
	}
	for _, name := range names {
		found := id == ""
		err := store.Update(name, func(w *state.Workflow) error {
			w.Runs = slices.DeleteFunc(w.Runs, func(r state.Run) bool {
				found = found || r.ID == id
				return id == "" || r.ID == id
			})
			return nil
		})
		switch {
		case err != nil:
			return command.Usage("%w", err)
		case !found:
			return command.Usage("--run %s: no such run of %s is remembered; `paratimer history show %s` lists them",
				id, name, name)
		}
	}
	if unreadable != nil {
		return command.Usage("%w", unreadable)
	}
	return nil
}

// storedProfile writes the profile for the next run of a workflow, or the one that an earlier run had: replaying
// the recording of a watched run with it gives the same frames as the watch.
func storedProfile(c *cli.Context) error {
	w, err := namedWorkflow(c)
	if err != nil {
		return err
	}
	if id := c.String("before"); id != "" {
		i := slices.IndexFunc(w.Runs, func(r state.Run) bool { return r.ID == id })
		if i < 0 {
			return command.Usage("--before %s: no such run of %s is remembered; `paratimer history show %s` lists them",
				id, w.Name, w.Name)
		}
		w.Runs = w.Runs[:i]
	}
	lines := history.Lines(w, "")
	if len(lines) == 0 {
		return command.Usage("%s: no run is remembered from before that", w.Name)
	}
	profile, n := lines[0].Profile()
	if n == 0 {
		return command.Usage("%s: no remembered run can be used; `paratimer history show %s` shows why",
			w.Name, w.Name)
	}
	return writeProfile(c, profile)
}

// near is how many ticks around each of estimators.Bins are estimated: the nearest one may have no range yet.
const near = 3

func hasEnded(s *dag.Snapshot) bool { return s.State.Ended() }

// ticksOf plays a run without estimates. It returns the instants that its residuals need, and the run's last state.
func ticksOf(ctx context.Context, recorded input.RecordedRun) (map[dag.Instant]bool, dag.State, error) {
	src, err := recorded.Open()
	if err != nil {
		return nil, 0, err
	}
	var seen []dag.Instant
	run, err := input.WholeRun(ctx, src.Until(hasEnded), func(s *dag.Snapshot) { seen = append(seen, s.At) })
	if err != nil {
		return nil, 0, err
	}
	s := run.Now()
	origin, end := s.Origin(), s.LastEnd()
	ticks := map[dag.Instant]bool{}
	if !origin.Known() || end <= origin {
		return ticks, s.State, nil
	}
	for _, bin := range estimators.Bins {
		at := float64(origin) + bin*float64(end-origin)
		slices.SortStableFunc(seen, func(a, b dag.Instant) int {
			return cmp.Compare(math.Abs(float64(a)-at), math.Abs(float64(b)-at))
		})
		for _, t := range seen[:min(near, len(seen))] {
			ticks[t] = true
		}
	}
	return ticks, s.State, nil
}

// only is an estimator that returns estimates only at some instants.
type only struct {
	estimators.Estimator
	at map[dag.Instant]bool
}

func (o only) Estimate(run dag.Run) (estimators.Estimate, error) {
	if !o.at[run.Now().At] {
		return estimators.Estimate{Progress: math.NaN()}, nil
	}
	return o.Estimator.Estimate(run)
}
