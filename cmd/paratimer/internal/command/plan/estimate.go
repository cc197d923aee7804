package plan

import (
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/pathfrag"
)

// estimate predicts the length of a plan before anything runs, under each scenario.
func estimate(c *cli.Context) (err error) {
	if err := command.Arguments(c, 1, 1); err != nil {
		return err
	}
	plan, err := planfile.ReadFile(c.Args().First(), planfile.Options{})
	if err != nil {
		return input.NotAPlan(c.Args().First(), "plan", err)
	}
	profiles, err := input.ReadProfiles(c)
	if err != nil {
		return err
	}
	shown, err := follow.BatteryOf(c)
	if err != nil {
		return err
	}
	var opt estimators.Options
	if c.IsSet("delta1") || c.IsSet("delta2") {
		opt.Path = &pathfrag.Params{Delta1: c.Duration("delta1"), Delta2: c.Duration("delta2")}
	}
	v, err := planview.Of(plan, profiles, cost.Costs, opt, shown.Scenarios())
	if err != nil {
		return command.Usage("%w", err)
	}
	if path := c.String("gantt"); path != "" {
		if err := command.WriteFile(path, runreport.OfPlan(v).SVG); err != nil {
			return command.Usage("--gantt: %w", err)
		}
	}
	if c.String("output") == "json" {
		return v.JSON(c.App.Writer)
	}
	return v.Text(c.App.Writer)
}
