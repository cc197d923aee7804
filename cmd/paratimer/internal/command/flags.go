package command

import (
	"flag"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

// Arguments returns an error if a command has too few or too many arguments; most is -1 for no limit.
func Arguments(c *cli.Context, least, most int) error {
	n, name := c.NArg(), fullName(c)
	switch {
	case n < least:
		return Usage("%s needs %s; see `paratimer %s --help`", name, strings.Trim(c.Command.ArgsUsage, "[]"), name)
	case most >= 0 && n > most:
		return Usage("%s: %q is too much: it takes %s", name, c.Args().Get(most), orNone(c.Command.ArgsUsage))
	}
	return nil
}

// fullName returns a command's name with its group, e.g. "history list".
func fullName(c *cli.Context) string {
	return strings.TrimPrefix(c.Command.HelpName, c.App.HelpName+" ")
}

func orNone(s string) string {
	if s == "" {
		return "no arguments"
	}
	return s
}

// Env returns the environment variable of a flag.
func Env(flag string) []string { return []string{settings.Variable(flag)} }

// Choice returns a flag with a fixed set of values; the first is the default.
func Choice(name, does string, values ...string) cli.Flag {
	return &settings.Setting{
		Name: name, Default: values[0], Help: does, Env: settings.Variable(name), Choices: values,
	}
}

// Equip gives the program and its commands their settings of the table. A command may have others, too.
func Equip(app *cli.App) {
	app.Flags = settingsOf("", app.Flags)
	equip("", app.Commands)
}

func equip(path string, commands []*cli.Command) {
	for _, c := range commands {
		name := strings.TrimSpace(path + " " + c.Name)
		c.Flags = settingsOf(name, c.Flags)
		equip(name, c.Subcommands)
	}
}

// settingsOf returns the settings of a command: its own, then those of the table.
func settingsOf(name string, own []cli.Flag) []cli.Flag {
	var out []cli.Flag
	for _, f := range own {
		out = append(out, settingOf(f))
	}
	for _, s := range settings.Of(name) {
		if Lookup(out, s.Name) == nil {
			out = append(out, s)
		}
	}
	return out
}

// settingOf returns the setting with the name, help and default of a flag of the library.
func settingOf(f cli.Flag) *settings.Setting {
	s := &settings.Setting{Name: f.Names()[0], Short: strings.Join(f.Names()[1:], "")}
	switch f := f.(type) {
	case *settings.Setting:
		return f
	case *cli.BoolFlag:
		s.Default = f.Value
	case *cli.DurationFlag:
		s.Default = f.Value
	case *cli.Float64Flag:
		s.Default = f.Value
	case *cli.GenericFlag:
		s.Default = func() flag.Value { return f.Value }
	case *cli.IntFlag:
		s.Default = f.Value
	case *cli.IntSliceFlag:
		s.Default = []int(nil)
	case *cli.StringFlag:
		s.Default = f.Value
	case *cli.StringSliceFlag:
		s.Default = []string(nil)
	case *cli.Uint64Flag:
		s.Default = f.Value
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		s.Help, s.Env = d.GetUsage(), strings.Join(d.GetEnvVars(), "")
	}
	return s
}

// Leaves returns the commands, with groups replaced by their subcommands.
func Leaves(all []*cli.Command) []*cli.Command {
	var out []*cli.Command
	for _, c := range all {
		if len(c.Subcommands) > 0 {
			out = append(out, Leaves(c.Subcommands)...)
			continue
		}
		out = append(out, c)
	}
	return out
}

// Lookup returns the flag with a name, which may have dashes before it and =value after it; nil if there is none.
func Lookup(flags []cli.Flag, arg string) cli.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}
