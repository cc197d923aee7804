package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// A process has the environment that a command uses, as an argument: tests run several commands in one process.
type process struct {
	env       []string              // NAME=VALUE; the last one of a name counts
	variables map[cli.Flag][]string // variables that set a flag
}

const processKey = "process"

// processOf returns the process of a running app.
func processOf(app *cli.App) *process { return app.Metadata[processKey].(*process) }

// Getenv returns os.Getenv of the command's environment.
func Getenv(c *cli.Context) func(name string) string { return processOf(c.App).getenv }

// Environ returns os.Environ of the command's environment.
func Environ(c *cli.Context) []string { return processOf(c.App).env }

// Variable returns the first of some environment variables that has a value; "" if none has.
func Variable(c *cli.Context, names []string) string { return processOf(c.App).set(names) }

func (p *process) getenv(name string) string {
	for _, e := range slices.Backward(p.env) {
		if n, value, ok := strings.Cut(e, "="); ok && n == name {
			return value
		}
	}
	return ""
}

// Adopt makes an app use the environment env. The library would read the process's environment while it parses.
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
		case *cli.IntSliceFlag:
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

// VariablesOf returns the environment variables that set a flag.
func VariablesOf(app *cli.App, f cli.Flag) []string {
	if p, ok := app.Metadata[processKey].(*process); ok {
		return p.variables[f]
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		return d.GetEnvVars()
	}
	return nil
}

// FromEnvironment sets the flags that are not on the command line. As usual, an empty variable counts as unset.
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

// set returns the first of some variables that has a value; "" if none has.
func (p *process) set(variables []string) string {
	for _, name := range variables {
		if strings.TrimSpace(p.getenv(name)) != "" {
			return name
		}
	}
	return ""
}
