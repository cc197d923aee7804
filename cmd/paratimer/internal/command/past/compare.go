package past

import (
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/compare"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/nearestfit"
)

// compared compares recorded runs of one script.
func compared(c *cli.Context) error {
	var runs []*compare.Run
	for _, path := range c.Args().Slice() {
		r, err := comparedRun(c, path)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	found, err := compare.Compare(runs, c.Int("base"))
	if err != nil {
		return command.Usage("%w", err)
	}
	found.Zone = command.Zone(c)
	if err := command.Show(c, c.String("out"), found); err != nil {
		return err
	}
	if c.Bool("fail-on-regression") && found.Regressed {
		return command.ErrQueryFailed // the comparison shows it
	}
	return nil
}

// comparedRun plays a recording to its end, or to where it is cut off. The run has a chart only if the output is a page
// and the chart can be drawn.
func comparedRun(c *cli.Context, path string) (r *compare.Run, err error) {
	src, err := input.Open(c, path)
	if err != nil {
		return nil, err
	}
	var all compare.Collector
	run, err := input.Played(c.Context, path, src, all.See)
	if err != nil {
		return nil, err
	}
	r, err = all.Run(path, run, cost.With(cost.Options{DeltaBytes: nearestfit.Default().DeltaBytes}))
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	if command.Format(c) == "html" {
		if g, _, err := runreport.ChartOf(run, cost.Costs); err == nil { // the rest of the comparison does not need it
			r.Chart = &g
		}
	}
	return r, nil
}
