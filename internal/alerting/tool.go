package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// every is how often a query is observed: as attach does by default.
const every = "3s"

// A tool runs the paratimer command.
type tool struct{ exe, tmp string }

// learn makes the recording's profile, whose name is its script's, and finds out its length.
func (t tool) learn(ctx context.Context, r *recording) error {
	r.profile = filepath.Join(t.tmp, r.name+".yaml")
	if out, err := exec.CommandContext(ctx, t.exe, "learn", r.file, "-o", r.profile).CombinedOutput(); err != nil {
		return fmt.Errorf("learn %s: %w\n%s", r.name, err, out)
	}
	text, err := os.ReadFile(r.profile)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "name: "); ok {
			r.script = path.Base(strings.Trim(strings.TrimSpace(name), `"`))
			break
		}
	}
	frames, err := t.frames(ctx, "replay", "--every", "1h", r.file) // the last tick is never thinned out
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

// A frame is what of a frame is read.
type frame struct {
	Workflow struct {
		State string `json:"state"`
	} `json:"workflow"`
	Elapsed *float64 `json:"elapsed_seconds"`
	Stale   float64  `json:"stale_seconds"`
	Alerts  []struct {
		State string `json:"state"`
	} `json:"alerts"`
	Others []struct {
		Name     string   `json:"name"`
		Progress *float64 `json:"progress_ratio"`
	} `json:"others"`
}

// bounds are the flags of the deadlines of a run of so many seconds.
func bounds(total float64) []string {
	args := []string{"--outside-bounds=false"}
	for _, f := range factors {
		args = append(args, "--within", fmt.Sprintf("%.3fs", f*total))
	}
	return args
}

// watch plays the recording against its deadlines.
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
	cmd := exec.CommandContext(ctx, t.exe, append(args, "--output", "ndjson")...)
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err := cmd.Output()
	// A query that failed makes exit code 1: that is an answer.
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, &talk)
	}
	var frames []frame
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var f frame
		if err := d.Decode(&f); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
		frames = append(frames, f)
	}
	if len(frames) == 0 {
		return nil, fmt.Errorf("%s: no frames\n%s", strings.Join(args, " "), &talk)
	}
	return frames, nil
}
