package command

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// About puts flags under a heading of the help.
func About(subject string, flags ...cli.Flag) []cli.Flag {
	for _, f := range flags {
		switch f := f.(type) {
		case *cli.BoolFlag:
			f.Category = subject
		case *cli.DurationFlag:
			f.Category = subject
		case *cli.Float64Flag:
			f.Category = subject
		case *cli.IntFlag:
			f.Category = subject
		case *cli.StringFlag:
			f.Category = subject
		case *cli.StringSliceFlag:
			f.Category = subject
		case *ChoiceFlag:
			f.Category = subject
		}
	}
	return flags
}

// A ChoiceFlag has a fixed set of values.
type ChoiceFlag struct {
	*cli.StringFlag
	Values []string
}

// OutputFlag returns --output; the first format is the default.
func OutputFlag(formats ...string) cli.Flag {
	return Choice("output", "write `FORMAT`", formats...)
}

// Choice returns a flag with a fixed set of values; the first is the default.
func Choice(name, does string, values ...string) cli.Flag {
	return &ChoiceFlag{Values: values, StringFlag: &cli.StringFlag{
		Name: name, EnvVars: Env(name), Value: values[0],
		Usage: does + ": " + strings.Join(values, ", "),
		Action: func(_ *cli.Context, v string) error {
			if !slices.Contains(values, v) {
				return Usage("--%s %s: it is one of %s", name, v, strings.Join(values, ", "))
			}
			return nil
		},
	}}
}

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

// Env returns the environment variable of a flag. PARATIMER_GOLDEN, PARATIMER_RECORDINGS and PARATIMER_FOREIGN
// belong to the tests: no flag has these names.
func Env(flag string) []string {
	return []string{"PARATIMER_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))}
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
