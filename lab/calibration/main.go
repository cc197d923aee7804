// Package calibration writes docs/calibration.md: how often ranges contain the truth on simulated runs. It runs the
// paratimer command and reads only its report.
package calibration

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"github.com/paratimer/paratimer/lab/replaytest"
)

// Run writes docs/calibration.md.
func Run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("lab calibration", flag.ContinueOnError)
	runs := flags.Int("runs", 2000, "simulated runs a seed")
	seeds := flags.Int("seeds", 3, "how many seeds, from 1 on")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return run(*runs, *seeds, out)
}

// A report is the part of `paratimer calibrate --output json` that this command needs.
type report struct {
	Workflows int    `json:"workflows"`
	Failed    int    `json:"failed_runs"`
	Rough     int    `json:"rough_runs"`
	Coverage  []held `json:"coverage"`
	Roughly   []held `json:"rough_coverage"`
}

type held struct {
	At    float64  `json:"at_ratio"`
	Range float64  `json:"range_ratio"`
	Held  *float64 `json:"held_ratio"`
	Raw   *float64 `json:"raw_held_ratio"`
	Width *float64 `json:"mean_width_ratio"`
	Runs  int      `json:"runs"`
}

func run(runs, seeds int, w io.Writer) error {
	command, err := replaytest.Build(context.Background())
	if err != nil {
		return err
	}
	defer func() { _ = command.Remove() }() // what is left is in a temporary folder
	var all []report
	for seed := 1; seed <= seeds; seed++ {
		cmd := exec.CommandContext(context.Background(), command.Exe, "calibrate", "--runs", strconv.Itoa(runs),
			"--seed", strconv.Itoa(seed), "--output", "json")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		var r report
		if err := json.Unmarshal(out, &r); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		all = append(all, r)
	}
	write(w, runs, all)
	return nil
}
