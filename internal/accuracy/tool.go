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

	"github.com/paratimer/paratimer/adapters/planfile"
)

// A tool runs the paratimer command.
type tool struct{ exe, tmp string }

// learn makes the recording's profile, whose name is its script's.
func (t tool) learn(r *recording) error {
	file := filepath.Join(t.tmp, r.name+".yaml")
	if out, err := exec.CommandContext(context.Background(), t.exe, "learn", r.file, "-o", file).CombinedOutput(); err != nil {
		return fmt.Errorf("learn %s: %w\n%s", r.name, err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r.profile = file
	if r.plan, err = planfile.ReadFile(file, planfile.Options{Profile: true}); err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "name: "); ok {
			r.script = path.Base(strings.Trim(strings.TrimSpace(name), `"`))
			break
		}
	}
	return nil
}

// A frame is what of a frame is read.
type frame struct {
	Workflow struct {
		State string `json:"state"`
	} `json:"workflow"`
	Elapsed  *float64 `json:"elapsed_seconds"`
	Headline struct {
		Remaining *float64 `json:"remaining_seconds"`
	} `json:"headline"`
	Quantiles []struct {
		Q         float64 `json:"q"`
		Remaining float64 `json:"remaining_seconds"`
	} `json:"quantiles"`
	Others []struct {
		Name      string   `json:"name"`
		Remaining *float64 `json:"remaining_seconds"`
		Progress  *float64 `json:"progress_ratio"`
	} `json:"others"`
	Estimates []struct {
		Scenario string   `json:"scenario"`
		Total    *float64 `json:"total_seconds"`
	} `json:"estimates"`
	Changes []struct {
		Reason string `json:"reason"`
	} `json:"changes"`
	Warnings []struct {
		Code string `json:"code"`
	} `json:"warnings"`
}

// replay plays the recording with the profile of another.
func (t tool) replay(r, profile *recording) (*result, error) {
	args := []string{"replay", "--output", "ndjson", "--estimators", "all", r.file}
	if profile != nil {
		args = append(args, "--profile", profile.profile)
	}
	cmd := exec.CommandContext(context.Background(), t.exe, args...)
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err := cmd.Output()
	// A query that failed makes exit code 1: that is an answer.
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("replay %s: %w\n%s", r.name, err, &talk)
	}
	var frames []frame
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var f frame
		if err := d.Decode(&f); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("replay %s: %w", r.name, err)
		}
		frames = append(frames, f)
	}
	if len(frames) == 0 {
		return nil, fmt.Errorf("replay %s: no frames\n%s", r.name, &talk)
	}
	return measure(frames), nil
}
