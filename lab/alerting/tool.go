package main

import (
	"context"
	"fmt"

	"github.com/paratimer/paratimer/lab/replaytest"
)

// every is the interval of observations: the default of attach.
const every = "3s"

// A tool runs the paratimer command.
type tool struct{ replaytest.Command }

// learn makes the recording's profile, and reads the name of its script and its length.
func (t tool) learn(ctx context.Context, r *recording) error {
	var err error
	if r.profile, r.script, err = t.Learn(ctx, r.file); err != nil {
		return err
	}
	frames, err := t.frames(ctx, "replay", "--every", "1h", r.file) // the last tick is always kept
	if err != nil {
		return err
	}
	last := frames[len(frames)-1]
	if last.Elapsed == nil {
		return fmt.Errorf("%s: its length is not known", r.name)
	}
	r.total = *last.Elapsed
	return nil
}

// A frame is the part of a frame that this command needs.
type frame struct {
	Workflow struct {
		State string `json:"state"`
	} `json:"workflow"`
	Elapsed *float64 `json:"elapsed_seconds"`
	Stale   float64  `json:"stale_seconds"`
	Alerts  []struct {
		State    string  `json:"state"`
		Outcome  *string `json:"outcome"`
		Deadline *string `json:"deadline_at"`
	} `json:"alerts"`
	Others []struct {
		Name     string   `json:"name"`
		Progress *float64 `json:"progress_ratio"`
	} `json:"others"`
}

// bounds returns the flags of the deadlines for a run of that many seconds.
func bounds(total float64) []string {
	args := []string{"--drift"}
	for _, f := range factors {
		args = append(args, "--within", fmt.Sprintf("%.3fs", f*total))
	}
	return args
}

// watch replays the recording with its deadlines.
func (t tool) watch(ctx context.Context, w *watched) error {
	args := append([]string{"replay", "--every", every, "--estimators", "all", w.run.file}, bounds(w.run.total)...)
	if w.profile != nil {
		args = append(args, "--profile", w.profile.profile)
	}
	frames, err := t.frames(ctx, args...)
	if err != nil {
		return err
	}
	w.measure(frames)
	return nil
}

// frames runs a command that prints frames.
func (t tool) frames(ctx context.Context, args ...string) ([]frame, error) {
	return replaytest.Frames[frame](ctx, t.Command, args...)
}
