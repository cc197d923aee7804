package admin

import (
	"fmt"
	"slices"
	"strings"

	_ "embed"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

//go:embed manual.txt
var manualTexts string

// Manual returns the command tree with its documentation.
func Manual(app *cli.App) (*manual.Command, error) {
	texts, err := manual.ParseTexts(manualTexts)
	if err != nil {
		return nil, fmt.Errorf("the manual's texts: %w", err)
	}
	root := &manual.Command{
		Path: app.Name, Does: app.Usage, Text: texts[app.Name],
		Flags: settingsOf(app.Flags), Commands: commandsOf(app.Name, app.Commands, texts),
	}
	return root, nil
}

func commandsOf(path string, commands []*cli.Command, texts map[string]manual.Text) []manual.Command {
	var out []manual.Command
	for _, c := range commands {
		if c.Hidden || c.Name == "" {
			continue
		}
		name := path + " " + c.Name
		out = append(out, manual.Command{
			Path: name, Does: c.Usage, Args: c.ArgsUsage, Heading: c.Category, Text: texts[name],
			Flags: settingsOf(c.Flags), Commands: commandsOf(name, c.Subcommands, texts),
		})
	}
	return out
}

func settingsOf(flags []cli.Flag) []*settings.Setting {
	var out []*settings.Setting
	for _, f := range flags {
		if s, ok := f.(*settings.Setting); ok { // not --help
			out = append(out, s)
		}
	}
	return out
}

// Helpful adds help texts to the commands in a command line, and to the program if the line does not begin with a
// command. Other commands' help is not shown, and formatting all of it takes longer than most commands.
func Helpful(app *cli.App, args []string) *cli.App {
	words := manual.Help
	if allHelp(args) {
		words = manual.HelpAll
	}
	if len(args) < 2 || app.Command(args[1]) == nil {
		root, err := Manual(app)
		if err != nil {
			return app // a test checks that there is no error
		}
		app.CustomAppHelpTemplate = template(words(root))
	}
	texts, err := manual.ParseTexts(manualTexts)
	if err != nil {
		return app
	}
	helpful := func(m *manual.Command) string { return template(words(m)) }
	helpfulCommands(app, app.Name, app.Commands, texts, args, helpful)
	return app
}

// allHelp reports whether a command line requests the whole help: `--help all`.
func allHelp(args []string) bool {
	for i := 1; i < len(args); i++ {
		if prev := args[i-1]; args[i] == "all" && (prev == "--help" || prev == "-h") {
			return true
		}
	}
	return false
}

func helpfulCommands(app *cli.App, path string, commands []*cli.Command, texts map[string]manual.Text, args []string,
	words func(*manual.Command) string,
) {
	for _, c := range commands {
		if len(c.Subcommands) > 0 {
			c.Action = groupHelp(c)
		}
		if !slices.ContainsFunc(args, c.HasName) {
			continue
		}
		for _, m := range commandsOf(path, []*cli.Command{c}, texts) {
			c.CustomHelpTemplate = words(&m)
			helpfulCommands(app, m.Path, c.Subcommands, texts, args, words)
		}
	}
}

// template returns a template that outputs a text.
func template(text string) string { return strings.ReplaceAll(text, "{{", `{{"{{"}}`) }
