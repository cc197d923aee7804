package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/internal/testkit/fixtures"
	"github.com/paratimer/paratimer/lab/replaytest"
)

// recordingsTitle is the title of a section that needs recordings of real runs.
const recordingsTitle = "Counters of real runs"

// skewedRuns are the prefixes of recordings with skewed or nonlinear reduces.
var skewedRuns = []string{"quadratic-", "skew-", "refailure-"}

// skewedRecordings returns the recordings of the section, or none if there are no recordings.
func skewedRecordings() []string {
	files, err := fixtures.Recordings("recordings", "recordings-busy")
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(files, func(file string) bool {
		return !slices.ContainsFunc(skewedRuns, func(begin string) bool {
			return strings.HasPrefix(fixtures.Name(file),
				begin)
		})
	})
}

// A scored is the part of the output of `paratimer score --output json` that the section needs.
type scored struct {
	Runs []struct {
		Total      float64 `json:"total_seconds"`
		Estimators []struct {
			Name string   `json:"name"`
			Mean *float64 `json:"mean_points"`
			Max  *float64 `json:"max_points"`
			None float64  `json:"no_estimate_ratio"`
		} `json:"estimators"`
	} `json:"runs"`
}

// recordingsExperiment scores the counter form along recordings, with the paratimer command.
func recordingsExperiment(files []string) experiment {
	return experiment{title: recordingsTitle, write: func(p printer, _ []result) error {
		command, err := replaytest.Build(context.Background())
		if err != nil {
			return err
		}
		defer func() { _ = command.Remove() }() // leftovers are in a temporary folder
		names := []string{
			"nearestfit_counters", "nearestfit_fit_only", "nearestfit_neighbours_only", byJob, byTask,
			byJob + "_ewma", byTask + "_ewma", "standard", "hadoop",
		}
		head(p, []string{"recording", "total s"}, names)
		for _, file := range files {
			cells, err := scores(command.Exe, file, names)
			if err != nil {
				return err
			}
			p("%s", line(append([]string{fixtures.Name(file)}, cells...)...))
		}
		p("")
		p("%s", recordingsWords)
		return nil
	}}
}

func scores(exe, file string, names []string) ([]string, error) {
	cmd := exec.CommandContext(context.Background(), exe, "score", "--estimators", "all", "--output", "json", file)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("score %s: %w", fixtures.Name(file), err)
	}
	var s scored
	if err := json.Unmarshal(out, &s); err != nil {
		return nil, fmt.Errorf("score %s: %w", fixtures.Name(file), err)
	}
	if len(s.Runs) != 1 {
		return nil, fmt.Errorf("score %s: %d runs, want 1", fixtures.Name(file), len(s.Runs))
	}
	cells := []string{fmt.Sprintf("%.1f", s.Runs[0].Total)}
	for _, name := range names {
		text := "–"
		for _, e := range s.Runs[0].Estimators {
			if e.Name == name && e.Mean != nil && e.Max != nil {
				text = fmt.Sprintf("%.1f / %.1f (%.0f %%)", *e.Mean, *e.Max, math.Round(100*(1-e.None)))
			}
		}
		cells = append(cells, text)
	}
	return cells, nil
}
