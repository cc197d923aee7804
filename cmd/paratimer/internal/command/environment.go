package command

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

// Getenv is os.Getenv of the command's environment.
func Getenv(c *cli.Context) func(name string) string { return processOf(c.App).getenv }

// Environ is os.Environ of the command's environment.
func Environ(c *cli.Context) []string { return processOf(c.App).env }

// Variable is the first of some environment variables that has a value, "" where none has.
func Variable(c *cli.Context, names []string) string { return processOf(c.App).set(names) }

func (p *process) getenv(name string) string {
	for _, e := range slices.Backward(p.env) {
		if n, value, ok := strings.Cut(e, "="); ok && n == name {
			return value
		}
	}
	return ""
}

// Adopt has an app take its environment from env. The library would read that of the whole process while it parses.
func Adopt(app *cli.App, env []string) {
	p := &process{env: env, variables: map[cli.Flag][]string{}}
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
		case *ChoiceFlag:
			names = &f.EnvVars
		default:
			panic(fmt.Sprintf("flag %s: no environment is known of a %T", f.Names()[0], f))
		}
		if len(*names) > 0 {
			p.variables[f], *names = *names, nil
		}
	}
}

// VariablesOf are the environment variables that set a flag.
func VariablesOf(app *cli.App, f cli.Flag) []string {
	if p, ok := app.Metadata[processKey].(*process); ok {
		return p.variables[f]
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		return d.GetEnvVars()
	}
	return nil
}

// FromEnvironment sets the flags of a command that its line does not. An empty variable is none, as is usual.
func FromEnvironment(c *cli.Context) error {
	p := processOf(c.App)
	for _, f := range slices.Concat(c.App.Flags, c.Command.Flags) {
		name := f.Names()[0]
		variable := p.set(p.variables[f])
		if variable == "" || c.IsSet(name) {
			continue
		}
		if err := c.Set(name, p.getenv(variable)); err != nil {
			if want := wanted(f); want != "" {
				return Usage("%s=%s: it is %s", variable, p.getenv(variable), want)
			}
			return Usage("%s=%s: %w", variable, p.getenv(variable), err)
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
