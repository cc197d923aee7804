// Package plan has the commands that need no run: plan and the demo, whatif, ernest and model. Ernest predicts the
// length of a job on other machines from a few small runs (Venkataraman et al., NSDI 2016).
package plan

import (
	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/pathfrag"
)

// Commands returns the commands of this package, in the order of the help.
func Commands() []*cli.Command {
	return []*cli.Command{
		follow.Command("demo", "", "watch the ParaTimer paper's query, simulated: no cluster needed", demo),
		follow.Command("plan", "PLAN", "predict a plan before anything runs, or watch a simulated run of it", planned),
		follow.Command("whatif", "[PLAN|FILE|ID|NAME]",
			"predict a query with other slots, more data, a failure, or no skew", whatIf),
		command.Group("ernest", "predict a job on other machines and inputs from a few small runs",
			command.New("design", "", "choose the most informative small runs for a budget", ernestDesign),
			command.New("run", "", "make the training runs of a design, and predict from them", ernestRun),
			command.New("fit", "FILE...", "fit a model to a table or recordings of runs, and predict other runs", ernestFit),
			command.New("predict", "[FILE]",
				"predict runs from a table, check later runs, or choose the machines for a deadline or a budget", ernestPredict),
		),
		command.New("model", "JOB.yaml",
			"predict jobs that compete for a cluster's CPUs, disks and network, before anything runs", model),
	}
}

// planned estimates a plan or simulates it. A flag of the other is an error, because it would have no effect.
func planned(c *cli.Context, f *follow.Flags) error {
	action, other, word := estimate, settings.SimulationSubject, "with"
	if c.Bool("simulate") {
		action, other, word = simulated, settings.EstimateSubject, "without"
	}
	for _, s := range settings.Of("plan") {
		if s.Subject == other && c.IsSet(s.Name) {
			return command.Usage("%s goes %s --simulate", s.Spellings()[0], word)
		}
	}
	return action(c, f)
}

// estimate predicts the length of a plan before anything runs, under each scenario.
func estimate(c *cli.Context, f *follow.Flags) error {
	plan, err := planfile.ReadFile(c.Args().First(), planfile.Options{})
	if err != nil {
		return input.NotAPlan(c.Args().First(), "plan", err)
	}
	var opt estimators.Options
	if c.IsSet("delta1") || c.IsSet("delta2") {
		opt.Path = &pathfrag.Params{Delta1: c.Duration("delta1"), Delta2: c.Duration("delta2")}
	}
	v, err := planview.Of(plan, f.Profiles, cost.Costs, opt, f.Shown.Scenarios())
	if err != nil {
		return command.Usage("%w", err)
	}
	if path := c.String("gantt"); path != "" {
		if err := command.WriteFile(path, runreport.OfPlan(v).SVG); err != nil {
			return command.Usage("--gantt: %w", err)
		}
	}
	return command.Print(c, v.Figures(), v.Document().Text)
}
