package main

import (
	"bytes"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/examples"
)

// demo plays the paper's query, simulated, at a speed that a person can follow.
func demo(c *cli.Context) error {
	if err := arguments(c, 0, 0); err != nil {
		return err
	}
	plan, err := planfile.Read(bytes.NewReader(examples.Paper), planfile.Options{Name: "the demo's plan"})
	if err != nil {
		return err
	}
	return play(c, plan, simulate.Options{
		Seed: c.Uint64("seed"), Know: simulate.Profile, Start: simulatedStart, Every: simulate.DefaultEvery, Noise: 0.02,
		// The lonely last map of j2 fails half-way: the worst that one failure can do.
		Fail: []simulate.Failure{{Job: "j2", Task: 16, At: 1100 * time.Second}},
	})
}
