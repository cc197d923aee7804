package command

import (
	"cmp"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

// arguments returns an error if a command has too few or too many arguments. Each word of its usage is one: in brackets
// it may be absent, and after dots there may be more.
func arguments(c *cli.Context) error {
	usage := c.Command.ArgsUsage
	least, most := 0, 0
	for _, word := range strings.Fields(strings.TrimPrefix(usage, "--")) {
		most++
		if !strings.HasPrefix(word, "[") {
			least++
		}
	}
	if strings.Contains(usage, "...") {
		most = -1
	}
	return Arguments(c, least, most)
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

// lookup returns the setting with a name that the running command or every command has; nil if there is none.
func lookup(c *cli.Context, name string) *settings.Setting {
	return cmp.Or(settings.Lookup(fullName(c), name), settings.Lookup("", name))
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

// Equip gives the program and its commands their settings.
func Equip(app *cli.App) {
	app.Flags = settingsOf("")
	equip("", app.Commands)
}

func equip(path string, commands []*cli.Command) {
	for _, c := range commands {
		name := strings.TrimSpace(path + " " + c.Name)
		c.Flags = settingsOf(name)
		equip(name, c.Subcommands)
	}
}

func settingsOf(name string) []cli.Flag {
	var out []cli.Flag
	for _, s := range settings.Of(name) {
		out = append(out, s)
	}
	return out
}
