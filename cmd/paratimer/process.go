package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// A process is what a command takes from the process that it runs in, as an argument: several may run in one process.
type process struct {
	env       []string              // NAME=VALUE; of one name the last counts
	variables map[cli.Flag][]string // that set a flag
}

const processKey = "process"

// processOf is the process of an app that is run.
func processOf(app *cli.App) *process { return app.Metadata[processKey].(*process) }

// getenv is os.Getenv of the command's environment.
func getenv(c *cli.Context) func(name string) string { return processOf(c.App).getenv }

func (p *process) getenv(name string) string {
	for _, e := range slices.Backward(p.env) {
		if n, value, ok := strings.Cut(e, "="); ok && n == name {
			return value
		}
	}
	return ""
}

// adopt has an app take its environment from p. The library would read that of the whole process while it parses.
func (p *process) adopt(app *cli.App) {
	p.variables = map[cli.Flag][]string{}
	p.detach(app.Flags)
	p.detachCommands(app.Commands)
	app.Metadata = map[string]any{processKey: p}
}

func (p *process) detachCommands(commands []*cli.Command) {
	for _, c := range commands {
		p.detach(c.Flags)
		p.detachCommands(c.Subcommands)
	}
}

func (p *process) detach(flags []cli.Flag) {
	for _, f := range flags {
		var names *[]string
		switch f := f.(type) {
		case *cli.BoolFlag:
			names = &f.EnvVars
		case *cli.DurationFlag:
			names = &f.EnvVars
		case *cli.Float64Flag:
			names = &f.EnvVars
		case *cli.GenericFlag:
			names = &f.EnvVars
		case *cli.IntFlag:
			names = &f.EnvVars
		case *cli.StringFlag:
			names = &f.EnvVars
		case *cli.StringSliceFlag:
			names = &f.EnvVars
		case *cli.Uint64Flag:
			names = &f.EnvVars
		case *choiceFlag:
			names = &f.EnvVars
		default:
			panic(fmt.Sprintf("flag %s: no environment is known of a %T", f.Names()[0], f))
		}
		if len(*names) > 0 {
			p.variables[f], *names = *names, nil
		}
	}
}

// variablesOf are the environment variables that set a flag.
func variablesOf(app *cli.App, f cli.Flag) []string {
	if p, ok := app.Metadata[processKey].(*process); ok {
		return p.variables[f]
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		return d.GetEnvVars()
	}
	return nil
}

// fromEnvironment sets the flags of a command that its line does not. An empty variable is none, as is usual.
func fromEnvironment(c *cli.Context) error {
	p := processOf(c.App)
	for _, f := range slices.Concat(c.App.Flags, c.Command.Flags) {
		name := f.Names()[0]
		variable := p.set(p.variables[f])
		if variable == "" || c.IsSet(name) {
			continue
		}
		if err := c.Set(name, p.getenv(variable)); err != nil {
			if want := wanted(f); want != "" {
				return usage("%s=%s: it is %s", variable, p.getenv(variable), want)
			}
			return usage("%s=%s: %w", variable, p.getenv(variable), err)
		}
	}
	return nil
}

// set is the first of some variables that has a value, "" where none has.
func (p *process) set(variables []string) string {
	for _, name := range variables {
		if strings.TrimSpace(p.getenv(name)) != "" {
			return name
		}
	}
	return ""
}
