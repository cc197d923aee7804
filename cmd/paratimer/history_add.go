package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/past"
	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/estimators"
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

// historyAdd remembers recorded runs, so that ranges are calibrated from the first day. Each is played through the loop
// that watches live runs, with the profile of the runs before it. A recording that cannot be added keeps none of the
// others out.
func historyAdd(c *cli.Context) error {
	if err := arguments(c, 1, -1); err != nil {
		return err
	}
	store, err := openState(c)
	if err != nil {
		return usage("%w", err)
	}
	var bad []error
	added := []addedRun{}
	for _, path := range c.Args().Slice() {
		err := eachRecorded(c, path, func(open opener) error {
			a, err := addRun(c, store, path, open)
			if err != nil {
				return err
			}
			added = append(added, a)
			if c.String("output") == "text" {
				fmt.Fprintln(c.App.Writer, a)
			}
			return nil
		})
		if c.Context.Err() != nil {
			return context.Cause(c.Context)
		}
		if err != nil {
			bad = append(bad, err)
		}
	}
	if c.String("output") == "json" {
		if err := json.NewEncoder(c.App.Writer).Encode(map[string]any{"runs": added}); err != nil {
			return err
		}
	}
	if len(bad) > 0 {
		return usage("%w", errors.Join(bad...))
	}
	return nil
}

func (a addedRun) String() string {
	line := fmt.Sprintf("%s: %s: %s after %s, %s", view.Escape(a.File), view.Escape(a.Workflow), a.State, length(a.Total), a.Outcome)
	if a.Excluded != nil {
		line += "; nothing is learned from it: " + *a.Excluded
	}
	return line
}

// An opener opens a recorded run, as often as it is asked to.
type opener func() (watch.Source, io.Closer, error)

// eachRecorded gives the runs of a recording to add: of job history with several workflows all, unless one is asked for.
func eachRecorded(c *cli.Context, path string, add func(opener) error) error {
	every := c.Duration("every")
	if info, err := os.Stat(path); err != nil || !info.IsDir() || c.String("workflow") != "" {
		return add(func() (watch.Source, io.Closer, error) { return openRecording(path, c.String("workflow"), every) })
	}
	found, err := findHistory(c.Context, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var bad []error
	for _, w := range past.Group(found.Jobs) {
		bad = append(bad, add(func() (watch.Source, io.Closer, error) {
			src, err := past.NewSource(w, every)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", path, err)
			}
			return src, io.NopCloser(nil), nil
		}))
	}
	return errors.Join(bad...)
}

// addRun plays a run and remembers it.
func addRun(c *cli.Context, store *state.Store, path string, open opener) (addedRun, error) {
	ticks, state, err := ticksOf(c.Context, open)
	switch {
	case err != nil:
		return addedRun{}, fmt.Errorf("%s: %w", path, err)
	case !state.Ended():
		return addedRun{}, fmt.Errorf("%s: the recording ends while the query is %s: only finished runs can be remembered", path, state)
	}
	src, file, err := open()
	if err != nil {
		return addedRun{}, err
	}
	defer file.Close()
	rec := &history.Recorder{Source: &whole{Source: src}, Store: store, Log: logger(c), Past: true}
	p := panel(false)
	p.Model = nil // of what is said only the range is kept
	p.Scenarios = []estimators.Estimator{only{p.Scenarios[0], ticks}}
	p.Sampled = only{p.Sampled, ticks}
	if _, err := (watch.Watch{Source: rec, Panel: p, Sinks: []watch.Sink{rec}, Log: logger(c)}).Run(c.Context); err != nil {
		return addedRun{}, fmt.Errorf("%s: %w", path, err)
	}
	if rec.Ended == nil {
		return addedRun{}, fmt.Errorf("%s: the run has no name or could not be stored", path)
	}
	r := rec.Ended
	return addedRun{path, r.Workflow, r.Run.ID, r.Run.State, secondsOrNil(r.Run.TotalSeconds), r.Outcome, textOrNil(r.Run.Excluded)}, nil
}
