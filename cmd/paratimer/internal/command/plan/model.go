package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/jobfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/modelview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/estimators/queueing/simulation"
)

// model predicts the times of jobs that compete for a cluster, by a queueing model or by simulation.
func model(c *cli.Context) error {
	path := c.Args().First()
	file, err := jobfile.ReadFile(path, c.App.Reader)
	if err != nil {
		return input.NotAPlan(path, "job file", err)
	}
	if e := c.Float64("epsilon"); !(e > 0 && e <= 1) {
		return command.Usage("epsilon %v: it is seconds above 0 and at most 1, such as 1e-4", e)
	}
	variants, err := modelVariants(c, &file.Spec)
	if err != nil {
		return err
	}
	v := modelview.New(file.Name, variants[0].Spec)
	if _, err := watch.UnlessDone(c.Context, func() (any, error) { return nil, evaluate(c, v, variants) }); err != nil {
		return err
	}
	if err := printed(c, v); err != nil {
		return err
	}
	first := &v.Results[0]
	if !slices.ContainsFunc(v.Results, func(r modelview.Result) bool { return r.Converged }) && first.Error == nil {
		return fmt.Errorf("%s: %s; the figures are where it stood", first.Model, first.Doubt())
	}
	return nil
}

// modelVariants returns the file's jobs with the settings of the flags.
func modelVariants(c *cli.Context, s *queueing.Spec) ([]modelview.Variant, error) {
	named := func(name string) func(queueing.Job) bool {
		return func(j queueing.Job) bool { return j.Name == name }
	}
	only := c.StringSlice("only")
	for _, name := range only {
		if !slices.ContainsFunc(s.Jobs, named(name)) {
			return nil, command.Usage("--only: there is no job %q in the file", name)
		}
	}
	if len(only) > 0 {
		s.Jobs = slices.DeleteFunc(s.Jobs, func(j queueing.Job) bool { return !slices.Contains(only, j.Name) })
	}
	job := 0
	if name := c.String("job"); name != "" {
		if job = slices.IndexFunc(s.Jobs, named(name)); job < 0 {
			return nil, command.Usage("--job %s: there is no job of that name in the file", name)
		}
	}
	values := make([][]int, len(modelview.Settings))
	for i, setting := range modelview.Settings {
		_ = json.Unmarshal([]byte("["+c.String(setting.Name)+"]"), &values[i]) // they are numbers: the setting is valid
		if len(values[i]) > 0 && setting.OfJob && len(s.Jobs) > 1 && c.String("job") == "" {
			return nil, command.Usage("--%s: the file has %d jobs: say which with --job NAME", setting.Name, len(s.Jobs))
		}
		for _, n := range values[i] {
			if n < setting.Least {
				return nil, command.Usage("--%s %d: it is %d or more", setting.Name, n, setting.Least)
			}
		}
	}
	all, err := modelview.Variants(s, job, values)
	if err != nil {
		return nil, command.Usage("%w", err)
	}
	if err := all[0].Spec.Validate(); err != nil {
		return nil, command.Usage("this cannot be modelled: %w", err)
	}
	return all, nil
}

// evaluate adds the results of the flags' models, and advice for a single combination of settings. In a table a
// combination that cannot be solved has its error, unless there is no other.
func evaluate(c *cli.Context, v *modelview.View, variants []modelview.Variant) error {
	asked, err := queueing.ParseModel(c.String("model"))
	if err != nil {
		return err
	}
	models := []queueing.Model{asked}
	if c.Bool("all") {
		models = []queueing.Model{queueing.Product, queueing.ViannaForkJoin, queueing.Tripathi, queueing.Simulation}
	}
	var failed error
	solved := false
	for _, variant := range variants {
		for _, m := range models {
			solution, err := solve(c, m, variant.Spec)
			r := modelview.Result{Result: solution}
			if err != nil {
				r = modelview.Failed(m, err)
				failed = cmp.Or(failed, command.Usage("%s: %w", m, err))
			}
			solved = solved || err == nil
			r.Settings = append([]modelview.Value{}, variant.Values...)
			v.Results = append(v.Results, r)
		}
	}
	if failed != nil && (!solved || len(variants) == 1) {
		return failed
	}
	if len(variants) > 1 {
		return nil
	}
	if models[0] == queueing.Simulation { // it would take too long
		models[0] = queueing.Product
	}
	v.Advise(variants[0].Spec, func(s *queueing.Spec) (*queueing.Result, error) { return solve(c, models[0], s) })
	return nil
}

// solve evaluates one model, or simulates.
func solve(c *cli.Context, m queueing.Model, s *queueing.Spec) (*queueing.Result, error) {
	if m == queueing.Simulation {
		return simulation.Simulate(s, simulationOptions(c, s))
	}
	return queueing.Solve(s, m, queueing.Options{Tolerance: c.Float64("epsilon")})
}

// asModelled is how often the simulation submits each of several jobs again if it is compared with models. The
// first response is that of a simultaneous start; with four more, the means are within a per cent or two of those
// of many.
const asModelled = 4

// simulationOptions returns the options of the simulation. Models treat several jobs as a closed system. For a
// comparison with them the simulation does the same, in fewer and longer runs.
func simulationOptions(c *cli.Context, s *queueing.Spec) simulation.Options {
	o := simulation.Options{
		Runs: c.Int("runs"), Seed: c.Uint64("seed"), Cycles: c.Int("cycles"),
	}
	if c.String("distribution") == "deterministic" {
		o.Distribution = simulation.Deterministic
	}
	if c.Bool("all") && !c.IsSet("cycles") && s.Several() {
		o.Cycles = asModelled
		if !c.IsSet("runs") {
			o.Runs = simulation.DefaultRuns / 2 / asModelled
		}
	}
	return o
}
