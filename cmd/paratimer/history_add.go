package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/infile"
	"github.com/paratimer/paratimer/adapters/past"
	"github.com/paratimer/paratimer/adapters/state"
	"github.com/paratimer/paratimer/adapters/tape"
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
	recordings, bad := recordedRuns(c, c.Args().Slice())
	added := []addedRun{}
	for _, r := range recordings {
		a, err := addRun(c, store, r)
		switch {
		case c.Context.Err() != nil:
			return context.Cause(c.Context)
		case errors.As(err, new(usageError)): // it names the file
			bad = append(bad, err)
			continue
		case err != nil:
			bad = append(bad, fmt.Errorf("%s: %w", r.name, err))
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

// A recordedRun is a run in a recording. open opens it, as often as it is asked to.
type recordedRun struct {
	name string // what a user calls it
	open func() (watch.Source, io.Closer, error)
}

// recordedRuns are the runs in files and folders. Job history is put together before it is told apart: a
// workflow has a file for each of its jobs. Of it, all workflows are taken unless --workflow names one.
func recordedRuns(c *cli.Context, paths []string) (out []recordedRun, bad []error) {
	var jobs []*past.Job
	var from []string
	for _, path := range paths {
		isHistory, err := holdsHistory(path)
		switch {
		case err != nil:
			bad = append(bad, fmt.Errorf("cannot read the recording: %w", err))
		case !isHistory:
			out = append(out, recordedRun{path, func() (watch.Source, io.Closer, error) {
				return openRecording(path, c.String("workflow"), c.Duration("every"))
			}})
		default:
			found, err := findHistory(c.Context, path)
			if err != nil {
				bad = append(bad, fmt.Errorf("%s: %w", path, err))
				continue
			}
			jobs, from = append(jobs, found.Jobs...), append(from, path)
		}
	}
	if len(jobs) == 0 {
		return out, bad
	}
	workflows := past.Group(jobs)
	if id := c.String("workflow"); id != "" {
		one, err := past.Choose(workflows, id)
		if err != nil {
			return out, append(bad, err)
		}
		workflows = []*past.Workflow{one}
	}
	name := from[0]
	if len(from) > 1 {
		name = fmt.Sprintf("%s and %d more", name, len(from)-1)
	}
	for _, w := range workflows {
		out = append(out, recordedRun{name, func() (watch.Source, io.Closer, error) {
			src, err := past.NewSource(w, c.Duration("every"))
			return src, io.NopCloser(nil), err
		}})
	}
	return out, bad
}

// holdsHistory says whether a file or folder is job history: many runs in one, or one in many.
func holdsHistory(path string) (bool, error) {
	f, err := infile.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return err == nil, err
	}
	kind, _, err := tape.Sniff(f)
	return err == nil && (kind == tape.History || kind == tape.Trace), nil // what it is otherwise, its reader says
}

// addRun plays a run and remembers it.
func addRun(c *cli.Context, store *state.Store, recorded recordedRun) (a addedRun, err error) {
	ticks, ended, err := ticksOf(c.Context, recorded.open)
	switch {
	case err != nil:
		return a, err
	case !ended.Ended():
		return a, fmt.Errorf("the recording ends while the query is %s: only finished runs can be remembered", ended)
	}
	src, file, err := recorded.open()
	if err != nil {
		return a, err
	}
	defer file.Close()
	if src, err = spooled(c, src); err != nil {
		return a, err
	}
	rec := &history.Recorder{Source: &whole{Source: src}, Store: store, Log: logger(c), Past: true}
	p := panel(false)
	p.Model = nil // of what is said only the range is kept
	p.Scenarios = []estimators.Estimator{only{p.Scenarios[0], ticks}}
	p.Sampled = only{p.Sampled, ticks}
	if _, err := (watch.Watch{Source: rec, Panel: p, Sinks: []watch.Sink{rec}, Log: logger(c)}).Run(c.Context); err != nil {
		return a, err
	}
	if rec.Ended == nil {
		return a, errors.New("the run has no name, or could not be stored")
	}
	r := rec.Ended
	return addedRun{recorded.name, r.Workflow, r.Run.ID, r.Run.State, secondsOrNil(r.Run.TotalSeconds), r.Outcome, textOrNil(r.Run.Excluded)}, nil
}
