package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/jobfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/modelview"
	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/estimators/queueing/simulation"
)

func queueingFlags() []cli.Flag {
	flags := []cli.Flag{
		command.Choice("model", "what answers", "product", "vianna-fj", "tripathi", "vianna-table4",
			modelview.Simulate),
		&cli.BoolFlag{Name: "all", EnvVars: command.Env("all"), Usage: "show every model beside the simulation"},
		command.OutputFlag("text", "json"),
		&cli.StringSliceFlag{
			Name: "only", EnvVars: command.Env("only"),
			Usage: "model only the job `NAME` of the file; repeatable",
		},
		&cli.StringFlag{
			Name: "job", EnvVars: command.Env("job"),
			Usage: "`NAME` of the job of --maps, --reduces and --copies, if the file has several",
		},
		&cli.StringSliceFlag{
			Name: "grid", EnvVars: command.Env("grid"),
			Usage: "print a table over `NAME=VALUES` of a setting below, such as map-slots=1..8, nodes=2..40:2 or reduces=1,2,4; repeatable",
		},
		&cli.IntFlag{
			Name: "runs", EnvVars: command.Env("runs"), Value: simulation.DefaultRuns,
			Usage: "simulate `N` times",
		},
		&cli.Uint64Flag{
			Name: "seed", EnvVars: command.Env("seed"),
			Usage: "random seed `N`",
		},
		&cli.IntFlag{
			Name: "cycles", EnvVars: command.Env("cycles"),
			Usage: "submit each job again `N` times when it ends, as the models assume (default: with --all and several jobs 4; else once)",
		},
		&cli.Float64Flag{
			Name: "epsilon", EnvVars: command.Env("epsilon"), Value: 1e-9,
			Usage: "models: iterate until task times change by less than `SECONDS` (the paper: 1e-4)",
		},
		command.Choice("distribution", "how tasks of a class vary in the simulation", "exponential", "deterministic"),
	}
	for _, s := range []struct{ name, does string }{
		{"nodes", "`N` nodes"},
		{"cpus", "`N` CPUs a node"},
		{"disks", "`N` disks a node"},
		{"map-slots", "`N` maps at once on a node"},
		{"reduce-slots", "`N` reduces at once on a node"},
		{"shuffle-threads", "`N` map outputs at once for a reduce"},
		{"copies", "`N` such jobs at once"},
		{"maps", "`N` maps as large as the file's: reduces merge as much more"},
		{"reduces", "deal the same data to `N` reduces"},
	} {
		flags = append(flags, &cli.IntFlag{
			Name: s.name, EnvVars: command.Env(s.name),
			Usage: "instead of the file's: " + s.does,
		})
	}
	return flags
}

// model predicts the times of jobs that compete for a cluster, by a queueing model or by simulation.
func model(c *cli.Context) error {
	if err := command.Arguments(c, 1, 1); err != nil {
		return err
	}
	path := c.Args().First()
	file, doubts, err := jobfile.ReadFile(path, c.App.Reader)
	if err != nil {
		return input.NotAPlan(path, "job file", err)
	}
	v := &modelview.View{Name: file.Name, Spec: modelview.SpecOf(file)}
	if v.Spec.Jobs, err = modelview.Only(v.Spec.Jobs, c.StringSlice("only")); err != nil {
		return command.Usage("--only: %w", err)
	}
	for _, d := range doubts {
		v.Warnings = append(v.Warnings, queueing.Warning{Code: "unit", Text: fmt.Sprintf("%s:%d:%d: %s: %s", path,
			d.Line, d.Column, d.Field, d.Text)})
	}
	if e := c.Float64("epsilon"); !(e > 0 && e <= 1) {
		return command.Usage("--epsilon %v: it is seconds above 0 and at most 1, such as 1e-4", e)
	}
	job, err := modelSettings(c, v.Spec)
	if err != nil {
		return err
	}
	if c.IsSet("grid") {
		return modelGrid(c, v, job)
	}
	if err := askModels(c, v); err != nil {
		return err
	}
	write := v.Text
	if c.String("output") == "json" {
		write = v.JSON
	}
	if err := write(c.App.Writer); err != nil {
		return err
	}
	return v.Unsettled()
}

// modelSettings applies settings from the flags to the file's. job is the job that settings of a job apply to.
func modelSettings(c *cli.Context, s *queueing.Spec) (job int, err error) {
	job, err = jobNamed(c, s)
	if err != nil {
		return 0, err
	}
	for _, name := range modelview.Settings() {
		if !c.IsSet(name) {
			continue
		}
		if modelview.OfJob(name) && job < 0 {
			return 0, command.Usage("--%s: the file has %d jobs: say which with --job NAME", name, len(s.Jobs))
		}
		if n := c.Int(name); n < 1 && name != "reduces" || n < 0 {
			return 0, command.Usage("--%s %d: it is 1 or more", name, n)
		}
		modelview.Set(s, name, job, c.Int(name))
	}
	if err := s.Validate(); err != nil {
		return 0, command.Usage("this cannot be modelled: %w", err)
	}
	return job, nil
}

// jobNamed returns the job of --job, or the only one; -1 if there are several and none is named.
func jobNamed(c *cli.Context, s *queueing.Spec) (int, error) {
	name := c.String("job")
	for i := range s.Jobs {
		if s.Jobs[i].Name == name || name == "" && len(s.Jobs) == 1 {
			return i, nil
		}
	}
	if name != "" {
		return 0, command.Usage("--job %s: there is no job of that name in the file", name)
	}
	return -1, nil
}

// askModels evaluates the models of the flags.
func askModels(c *cli.Context, v *modelview.View) error {
	names := []string{c.String("model")}
	if c.Bool("all") {
		names = []string{
			queueing.Product.String(), queueing.ViannaForkJoin.String(), queueing.Tripathi.String(),
			modelview.Simulate,
		}
	}
	for _, name := range names {
		a, err := askModel(c, name, v.Spec)
		if err != nil {
			return err
		}
		v.Answers = append(v.Answers, *a)
	}
	var err error
	v.Improvements, err = command.UnlessInterrupted(c.Context, func() ([]modelview.Improvement, error) {
		return v.Advice(modelOptions(c)), nil
	})
	return err
}

// askModel evaluates one model.
func askModel(c *cli.Context, name string, s *queueing.Spec) (*modelview.Answer, error) {
	a := &modelview.Answer{Model: name, Spec: s}
	var err error
	if name == modelview.Simulate {
		o := simulationOptions(c, s)
		a.Cycles = o.Cycles
		a.Sim, err = command.UnlessInterrupted(c.Context, func() (*simulation.Result, error) {
			return simulation.Simulate(s, o)
		})
	} else {
		var m queueing.Model
		if m, err = queueing.ParseModel(name); err == nil {
			a.Result, err = command.UnlessInterrupted(c.Context, func() (*queueing.Result, error) {
				return queueing.Solve(s, m, modelOptions(c))
			})
		}
	}
	switch {
	case c.Context.Err() != nil:
		return nil, context.Cause(c.Context)
	case err != nil:
		return nil, command.Usage("%s: %w", name, err)
	}
	return a, nil
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
		Distribution: modelDistribution(c.String("distribution")),
	}
	if c.Bool("all") && !c.IsSet("cycles") && modelview.Several(s) {
		o.Cycles = asModelled
		if !c.IsSet("runs") {
			o.Runs = simulation.DefaultRuns / 2 / asModelled
		}
	}
	return o
}

// modelOptions returns the options of the models' iteration.
func modelOptions(c *cli.Context) queueing.Options {
	return queueing.Options{Tolerance: c.Float64("epsilon")}
}

func modelDistribution(name string) simulation.Distribution {
	if name == "deterministic" {
		return simulation.Deterministic
	}
	return simulation.Exponential
}

// modelGrid prints the results for each combination of settings.
func modelGrid(c *cli.Context, v *modelview.View, job int) error {
	if c.Bool("all") {
		return command.Usage("--grid is a table of one model's answers: it does not go with --all")
	}
	g := &modelview.Grid{Name: v.Name}
	for _, text := range axes(c.StringSlice("grid")) {
		axis, err := modelview.ParseAxis(text)
		if err != nil {
			return command.Usage("--grid: %w", err)
		}
		if modelview.OfJob(axis.Name) && job < 0 {
			return command.Usage("--grid %s: the file has %d jobs: say which with --job NAME", axis.Name,
				len(v.Spec.Jobs))
		}
		g.Axes = append(g.Axes, axis)
	}
	points, err := modelview.Points(g.Axes)
	if err != nil {
		return command.Usage("--grid: %w", err)
	}
	for _, values := range points {
		s := modelview.Copied(v.Spec)
		for i, axis := range g.Axes {
			modelview.Set(&s, axis.Name, job, values[i])
		}
		a, err := askModel(c, c.String("model"), &s)
		var bad command.UsageError
		if err != nil && !errors.As(err, &bad) {
			return err
		}
		g.Cells = append(g.Cells, modelview.Cell{Values: values, Answer: a, Err: err})
	}
	if err := g.Nothing(); err != nil {
		return command.Usage("--grid: %w", err)
	}
	if c.String("output") == "json" {
		return g.JSON(c.App.Writer)
	}
	return g.Text(c.App.Writer)
}

// axes joins values that the flag's own commas split: nodes=2,4 is one axis.
func axes(words []string) []string {
	var out []string
	for _, w := range words {
		if n := len(out); n > 0 && !strings.Contains(w, "=") {
			out[n-1] += "," + w
			continue
		}
		out = append(out, w)
	}
	return out
}
