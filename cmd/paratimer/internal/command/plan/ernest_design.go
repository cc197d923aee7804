package plan

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/partitions"
	"github.com/paratimer/paratimer/estimators/ernest"
)

// ernestDesignFlags returns flags like those of the authors' expt_design.py.
func ernestDesignFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{
			Name: "min-parts", EnvVars: command.Env("min-parts"),
			Usage: "a training run takes at least `N` parts of the input",
		},
		&cli.IntFlag{
			Name: "max-parts", EnvVars: command.Env("max-parts"),
			Usage: "a training run takes at most `N` parts of the input",
		},
		&cli.IntFlag{
			Name: "total-parts", EnvVars: command.Env("total-parts"),
			Usage: "the whole input has `N` parts (default: the files of --data)",
		},
		&cli.StringFlag{
			Name: "data", EnvVars: command.Env("data"),
			Usage: "the parts of the input are the files of `FOLDER`, rows of text: measure them, and choose representative ones for each run",
		},
		&cli.IntFlag{
			Name: "min-mcs", EnvVars: command.Env("min-mcs"),
			Usage: "a training run takes at least `N` machines",
		},
		&cli.IntFlag{
			Name: "max-mcs", EnvVars: command.Env("max-mcs"),
			Usage: "a training run takes at most `N` machines",
		},
		&cli.IntFlag{
			Name: "cores-per-mc", EnvVars: command.Env("cores-per-mc"), Value: 2,
			Usage: "a machine has `N` cores; a run has at least as many parts as cores",
		},
		&cli.Float64Flag{
			Name: "budget", EnvVars: command.Env("budget"), Value: 10,
			Usage: "all training runs together cost at most `N` runs of the smallest input on one machine",
		},
		&cli.IntFlag{
			Name: "num-parts-interpolate", EnvVars: command.Env("num-parts-interpolate"), Value: 20,
			Usage: "consider `N` sizes of input between the least and the most parts",
		},
		&cli.StringFlag{
			Name: "cost", EnvVars: command.Env("cost"),
			Usage: "a run costs `FORMULA` of machines and seconds, in units of the smallest input on one machine; --budget has its unit (default: seconds)",
		},
		command.OutputFlag("text", "json"),
	}
}

// spaceFlags maps the fields of a Space to flags, for messages.
var spaceFlags = map[string]string{
	"MinParts": "min-parts", "MaxParts": "max-parts", "TotalParts": "total-parts", "MinMachines": "min-mcs",
	"MaxMachines":     "max-mcs",
	"CoresPerMachine": "cores-per-mc", "Budget": "budget", "Interpolate": "num-parts-interpolate", "Cost": "cost",
}

// spaceOf returns the space of the flags, for the input in the folder of --data if data is not nil. An explicit 0
// is an error, while package ernest would use its default.
func spaceOf(c *cli.Context, data *partitions.Folder) (s ernest.Space, err error) {
	for _, flag := range []string{
		"min-parts", "max-parts", "total-parts", "min-mcs", "max-mcs", "cores-per-mc",
		"num-parts-interpolate",
	} {
		switch n := c.Int(flag); {
		case flag == "total-parts" && data != nil && !c.IsSet(flag):
		case flag == "total-parts" && data != nil && n != len(data.Files):
			return s, command.Usage("--total-parts %d: --data %s has %d files, which are the parts", n,
				c.String("data"), len(data.Files))
		case !c.IsSet(flag) && n == 0:
			return s, command.Usage("design needs --%s; see `paratimer ernest design --help`", flag)
		case n < 1:
			return s, command.Usage("--%s %d: it must be 1 or more", flag, n)
		}
	}
	if !(c.Float64("budget") > 0) {
		return s, command.Usage("--budget %v: it must be more than 0", c.Float64("budget"))
	}
	var cost func(machines, time float64) float64
	if formula := c.String("cost"); formula != "" {
		if cost, err = ernest.ParseCost(formula); err != nil {
			return s, command.Usage("--cost: %w", err)
		}
	}
	total := c.Int("total-parts")
	if data != nil {
		total = len(data.Files)
	}
	return ernest.Space{
		Cost:     cost,
		MinParts: c.Int("min-parts"), MaxParts: c.Int("max-parts"), TotalParts: total,
		MinMachines: c.Int("min-mcs"), MaxMachines: c.Int("max-mcs"), CoresPerMachine: c.Int("cores-per-mc"),
		Budget: c.Float64("budget"), Interpolate: c.Int("num-parts-interpolate"),
	}, nil
}

// designed returns the design of a space, or an error in terms of the flags.
func designed(s ernest.Space) (*ernest.Plan, error) {
	p, err := ernest.Design(s)
	var bad *ernest.SpaceError
	switch {
	case errors.As(err, &bad):
		why := bad.Reason
		if flag, ok := spaceFlags[bad.Field]; ok {
			why = "--" + flag + ": " + why
		}
		for field, flag := range spaceFlags {
			why = strings.ReplaceAll(why, field, "--"+flag)
		}
		return nil, command.Usage("no design: %s", why)
	case err != nil:
		return nil, command.Usage("%w", err)
	}
	return p, nil
}

// dataOf measures the input of --data; nil if it is not set.
func dataOf(c *cli.Context) (*partitions.Folder, error) {
	dir := c.String("data")
	if dir == "" {
		return nil, nil //nolint:nilnil // no data, and no error
	}
	data, err := partitions.Read(dir)
	if err != nil {
		return nil, command.Usage("--data: %w", err)
	}
	return data, nil
}

// sampleOf chooses the files of the training runs; nil without data.
func sampleOf(c *cli.Context, data *partitions.Folder, rows []ernest.DesignRow) (*ernest.Sample, error) {
	if data == nil {
		return nil, nil //nolint:nilnil // no sample, and no error
	}
	var sizes []int
	for i, r := range rows {
		if r.Parts < 1 || r.Parts > len(data.Files) {
			return nil, command.Usage("row %d of the design takes %d parts, and --data %s has %d files", i+1, r.Parts,
				c.String("data"), len(data.Files))
		}
		sizes = append(sizes, r.Parts)
	}
	sample, err := ernest.Representative(data.All, sizes)
	if err != nil {
		return nil, command.Usage("--data %s: %w", c.String("data"), err)
	}
	return sample, nil
}

// ernestDesign chooses training runs.
func ernestDesign(c *cli.Context) error {
	if err := command.Arguments(c, 0, 0); err != nil {
		return err
	}
	data, err := dataOf(c)
	if err != nil {
		return err
	}
	s, err := spaceOf(c, data)
	if err != nil {
		return err
	}
	plan, err := designed(s)
	if err != nil {
		return err
	}
	shown := ernestview.Design{Space: s, Plan: plan, Data: data}
	if shown.Sample, err = sampleOf(c, data, plan.Rows); err != nil {
		return err
	}
	if greedy, err := ernest.Greedy(s); err == nil { // else there is no comparison
		shown.Greedy = greedy
	}
	return printed(c, &shown)
}
