package plan

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/training"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/estimators/queueing"
)

// model predicts the times of jobs that compete for a cluster, by a queueing model or by simulation.
func model(c *cli.Context) error {
	path := c.Args().First()
	file, err := training.ReadJobFile(path, c.App.Reader)
	if err != nil {
		return input.NotAPlan(path, "job file", err)
	}
	if err := modelSettings(c, &file.Spec); err != nil {
		return err
	}
	v := planview.NewModelView(file.Name, &file.Spec)
	_, err = watch.UnlessDone(c.Context, func() (any, error) { return nil, evaluate(c, v, &file.Spec) })
	if err != nil {
		return err
	}
	if err := command.Show(c, "", v); err != nil {
		return err
	}
	first := v.Results[0]
	if !slices.ContainsFunc(v.Results, func(r *queueing.Result) bool { return r.Converged }) {
		return fmt.Errorf("%s: %s; the figures are those of the last iteration", first.Model, planview.ModelDoubt(first))
	}
	return nil
}

// modelSettings changes the file's jobs by the flags.
func modelSettings(c *cli.Context, s *queueing.Spec) error {
	named := func(name string) func(queueing.Job) bool {
		return func(j queueing.Job) bool { return j.Name == name }
	}
	only := c.StringSlice("only")
	for _, name := range only {
		if !slices.ContainsFunc(s.Jobs, named(name)) {
			return command.Usage("--only: there is no job %q in the file", name)
		}
	}
	if len(only) > 0 {
		s.Jobs = slices.DeleteFunc(s.Jobs, func(j queueing.Job) bool { return !slices.Contains(only, j.Name) })
	}
	job := 0
	if name := c.String("job"); name != "" {
		if job = slices.IndexFunc(s.Jobs, named(name)); job < 0 {
			return command.Usage("--job %s: there is no job of that name in the file", name)
		}
	}
	for _, setting := range planview.ModelSettings {
		if !c.IsSet(setting.Name) {
			continue
		}
		if setting.OfJob && len(s.Jobs) > 1 && c.String("job") == "" {
			return command.Usage("--%s: the file has %d jobs: choose one with --job NAME", setting.Name, len(s.Jobs))
		}
		setting.Set(s, job, c.Int(setting.Name))
	}
	if err := s.Validate(); err != nil {
		return command.Usage("this cannot be modelled: %w", err)
	}
	return nil
}

// evaluate adds the results of the flags' models, and advice.
func evaluate(c *cli.Context, v *planview.ModelView, s *queueing.Spec) error {
	asked, err := queueing.ParseModel(c.String("model"))
	if err != nil {
		return err
	}
	models := []queueing.Model{asked}
	if c.Bool("all") {
		models = []queueing.Model{queueing.Product, queueing.ViannaForkJoin, queueing.Tripathi, queueing.Simulation}
	}
	for _, m := range models {
		r, err := solve(c, m, s)
		if err != nil {
			return command.Usage("%s: %w", m, err)
		}
		v.Results = append(v.Results, r)
	}
	if models[0] == queueing.Simulation { // it would take too long
		models[0] = queueing.Product
	}
	v.Advise(s, func(s *queueing.Spec) (*queueing.Result, error) { return solve(c, models[0], s) })
	return nil
}

// solve evaluates one model, or simulates.
func solve(c *cli.Context, m queueing.Model, s *queueing.Spec) (*queueing.Result, error) {
	if m == queueing.Simulation {
		return queueing.Simulate(s, simulationOptions(c, s))
	}
	return queueing.Solve(s, m, queueing.Options{Tolerance: c.Float64("epsilon")})
}

// asModelled is how often the simulation submits each of several jobs again if it is compared with models. The
// first response is that of a simultaneous start; with four more, the means are within a per cent or two of those
// of many.
const asModelled = 4

// simulationOptions returns the options of the simulation. Models treat several jobs as a closed system. For a
// comparison with them the simulation does the same, in fewer and longer runs.
func simulationOptions(c *cli.Context, s *queueing.Spec) queueing.SimulationOptions {
	o := queueing.SimulationOptions{
		Runs: c.Int("runs"), Seed: c.Uint64("seed"), Cycles: c.Int("cycles"),
	}
	if c.String("distribution") == "deterministic" {
		o.Distribution = queueing.Deterministic
	}
	if c.Bool("all") && !c.IsSet("cycles") && s.Several() {
		o.Cycles = asModelled
		if !c.IsSet("runs") {
			o.Runs = queueing.DefaultRuns / 2 / asModelled
		}
	}
	return o
}
