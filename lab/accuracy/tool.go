package main

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/lab/replaytest"
)

// A tool runs the paratimer command.
type tool struct{ replaytest.Command }

// learn makes the recording's profile and reads the name of its script.
func (t tool) learn(r *recording) error {
	var err error
	if r.profile, r.script, err = t.Learn(context.Background(), r.file); err != nil {
		return err
	}
	return r.read()
}

func (r *recording) read() error {
	var err error
	r.plan, err = planfile.ReadFile(r.profile, planfile.Options{Profile: true})
	return err
}

// profiles returns the profiles of second and third runs of the recordings' scripts, on other data and under two to
// three times the load. Their recordings are too large for the project.
func profiles() ([]*recording, error) {
	files, err := filepath.Glob("lab/accuracy/profiles/*.yaml")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("no profiles in lab/accuracy/profiles: run this in the project's folder")
	}
	var out []*recording
	for _, file := range files {
		r := &recording{name: strings.TrimSuffix(filepath.Base(file), ".yaml"), profile: file}
		if err := r.read(); err != nil {
			return nil, err
		}
		r.script = path.Base(r.plan.Name)
		out = append(out, r)
	}
	return out, nil
}

// A frame is the part of a frame that this command needs.
type frame struct {
	Workflow struct {
		ID    string `json:"id"`
		State string `json:"state"`
	} `json:"workflow"`
	Elapsed  *float64 `json:"elapsed_seconds"`
	Headline struct {
		Remaining *float64 `json:"remaining_seconds"`
		High      *float64 `json:"high_seconds"`
	} `json:"headline"`
	Jobs []struct {
		Maps    struct{ Done int } `json:"maps"`
		Reduces struct{ Done int } `json:"reduces"`
		Stages  []struct {
			Done  int  `json:"done"`
			Total *int `json:"total"`
		} `json:"stages"`
	} `json:"jobs"`
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
		Delta   float64 `json:"delta_seconds"`
		Reason  string  `json:"reason"`
		Subject *string `json:"subject"`
	} `json:"changes"`
	Warnings []struct {
		Code string `json:"code"`
	} `json:"warnings"`
}

// replay replays the recording, with the profile of another one if it is not nil.
func (t tool) replay(r, profile *recording, estimators string) (*result, error) {
	args := []string{"replay", "--estimators", estimators, r.file}
	if profile != nil {
		args = append(args, "--profile", profile.profile)
	}
	frames, err := replaytest.Frames[frame](context.Background(), t.Command, args...)
	if err != nil {
		return nil, err
	}
	return measure(frames), nil
}
