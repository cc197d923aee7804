package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// about puts flags under a heading of the help.
func about(subject string, flags ...cli.Flag) []cli.Flag {
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
		case *choiceFlag:
			f.Category = subject
		}
	}
	return flags
}

// A choiceFlag has a closed set of values.
type choiceFlag struct {
	*cli.StringFlag
	values []string
}

// outputFlag is --output; the first format is the default.
func outputFlag(formats ...string) cli.Flag {
	return choice("output", "write `FORMAT`", formats...)
}

// choice is a flag with a closed set of values; the first is the default.
func choice(name, does string, values ...string) cli.Flag {
	return &choiceFlag{values: values, StringFlag: &cli.StringFlag{
		Name: name, EnvVars: env(name), Value: values[0],
		Usage: does + ": " + strings.Join(values, ", "),
		Action: func(_ *cli.Context, v string) error {
			if !slices.Contains(values, v) {
				return usage("--%s %s: it is one of %s", name, v, strings.Join(values, ", "))
			}
			return nil
		},
	}}
}

// arguments says how many arguments a command takes; most is -1 where there is no limit.
func arguments(c *cli.Context, least, most int) error {
	n, name := c.NArg(), fullName(c)
	switch {
	case n < least:
		return usage("%s needs %s; see `paratimer %s --help`", name, strings.Trim(c.Command.ArgsUsage, "[]"), name)
	case most >= 0 && n > most:
		return usage("%s: %q is too much: it takes %s", name, c.Args().Get(most), orNone(c.Command.ArgsUsage))
	}
	return nil
}

// fullName is a command's name after that of the command that it belongs to, e.g. "history list".
func fullName(c *cli.Context) string {
	return strings.TrimPrefix(c.Command.HelpName, c.App.HelpName+" ")
}

func orNone(s string) string {
	if s == "" {
		return "no arguments"
	}
	return s
}
