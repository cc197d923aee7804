package main

import (
	"bytes"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/dag"
)

// profileFlag is --profile: plans with costs, learned from earlier runs.
func profileFlag() cli.Flag {
	return &cli.StringSliceFlag{
		Name: "profile", EnvVars: env("profile"),
		Usage: "use the costs in `FILE`, made by `paratimer learn`; may be repeated, best first",
	}
}

// readProfiles reads the files of --profile.
func readProfiles(c *cli.Context) ([]*dag.Plan, error) {
	var out []*dag.Plan
	for _, path := range c.StringSlice("profile") {
		p, err := planfile.ReadFile(path, planfile.Options{Profile: true})
		if err != nil {
			return nil, usage("cannot read the profile: %w", err)
		}
		out = append(out, p)
	}
	return out, nil
}

// writeProfile writes a profile to the file of --out, or to stdout. A profile that cannot be written leaves no file.
func writeProfile(c *cli.Context, profile *dag.Plan) error {
	var text bytes.Buffer
	if err := planfile.Write(&text, profile); err != nil {
		return err
	}
	if path := c.String("out"); path != "" {
		if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
			return usage("cannot write the profile: %w", err)
		}
		return nil
	}
	_, err := c.App.Writer.Write(text.Bytes())
	return err
}
