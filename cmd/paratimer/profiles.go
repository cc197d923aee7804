package main

import (
	"io"

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
	content := func(w io.Writer) error { return planfile.Write(w, profile) }
	if path := c.String("out"); path != "" {
		return writeFile(path, content)
	}
	return write(c, "-", content)
}
