// Command calibration writes docs/calibration.md: how often ranges hold on simulated runs. It runs the paratimer command
// and reads nothing but its report.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

func main() {
	runs := flag.Int("runs", 2000, "simulated runs a seed")
	seeds := flag.Int("seeds", 3, "how many seeds, from 1 on")
	flag.Parse()
	if err := run(*runs, *seeds); err != nil {
		fmt.Fprintln(os.Stderr, "calibration:", err)
		os.Exit(1)
	}
}

// A report is what of `paratimer calibrate --output json` is read.
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

func run(runs, seeds int) error {
	tmp, err := os.MkdirTemp("", "calibration")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	exe := filepath.Join(tmp, "paratimer")
	if out, err := exec.CommandContext(context.Background(), "go", "build", "-o", exe, "./cmd/paratimer").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	var all []report
	for seed := 1; seed <= seeds; seed++ {
		cmd := exec.CommandContext(context.Background(), exe, "calibrate", "--runs", strconv.Itoa(runs), "--seed", strconv.Itoa(seed), "--output", "json")
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
	write(os.Stdout, runs, all)
	return nil
}
