package past

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/estimators"
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
}

// historyAdd stores recorded runs, so that ranges are calibrated from the first day. Each run is replayed as a
// watch, with the profile of the runs before it. An unusable recording does not prevent the others from being
// added.
func historyAdd(c *cli.Context) error {
	if err := command.Arguments(c, 1, -1); err != nil {
		return err
	}
	store, err := input.OpenState(c)
	if err != nil {
		return command.Usage("%w", err)
	}
	recordings, bad := input.RecordedRuns(c, c.Args().Slice())
	added := []addedRun{}
	for _, r := range recordings {
		a, err := addRun(c, store, r)
		switch {
		case c.Context.Err() != nil:
			return context.Cause(c.Context)
		case err != nil && strings.HasPrefix(err.Error(), r.Name+": "):
			bad = append(bad, err)
			continue
		case err != nil:
			bad = append(bad, fmt.Errorf("%s: %w", r.Name, err))
			continue
		}
		added = append(added, a)
		if c.String("output") == "text" {
			fmt.Fprintln(c.App.Writer, a)
		}
	}
	if c.String("output") == "json" {
		if err := json.NewEncoder(c.App.Writer).Encode(map[string]any{"runs": added}); err != nil {
			return err
		}
	}
	if len(bad) > 0 {
		return command.Usage("%w", errors.Join(bad...))
	}
	return nil
}

func (a addedRun) String() string {
	line := fmt.Sprintf("%s: %s: %s after %s, %s", view.Escape(a.File), view.Escape(a.Workflow), a.State,
		units.Known(a.Total, units.Seconds), a.Outcome)
	if a.Excluded != nil {
		line += "; nothing is learned from it: " + *a.Excluded
	}
	return line
}

// addRun replays a run and stores it.
func addRun(c *cli.Context, store *state.Store, recorded input.RecordedRun) (a addedRun, err error) {
	ticks, ended, err := ticksOf(c.Context, recorded.Open)
	switch {
	case err != nil:
		return a, err
	case !ended.Ended():
		return a, fmt.Errorf("the recording ends while the query is %s: only finished runs can be remembered", ended)
	}
	src, file, err := recorded.Open()
	if err != nil {
		return a, err
	}
	defer file.Close()
	if src, err = input.Spooled(c, src); err != nil {
		return a, err
	}
	rec := &history.Recorder{Store: store, Log: command.Logger(c), Past: true}
	p := follow.EstimatorSet(false, 0)
	p.Model = nil // only the range is stored
	p.Scenarios = []estimators.Estimator{only{p.Scenarios[0], ticks}}
	p.Sampled = only{p.Sampled, ticks}
	w := watch.Watch{Source: &whole{Source: src}, Estimators: p, Log: command.Logger(c)}
	rec.Join(&w)
	if _, err := w.Run(c.Context); err != nil {
		return a, err
	}
	if rec.Ended == nil {
		return a, errors.New("the run has no name, or could not be stored")
	}
	r := rec.Ended
	return addedRun{
		recorded.Name, r.Workflow, r.Run.ID, r.Run.State, orNil(max(0, r.Run.TotalSeconds)), r.Outcome,
		orNil(r.Run.Excluded),
	}, nil
}
