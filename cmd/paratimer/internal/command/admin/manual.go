package admin

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"

	_ "embed"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
	"github.com/paratimer/paratimer/units"
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
		Flags: flagsOf(app, app.Flags), Commands: commandsOf(app, app.Name, app.Commands, texts),
	}
	return root, nil
}

func commandsOf(app *cli.App, path string, commands []*cli.Command, texts map[string]manual.Text) []manual.Command {
	var out []manual.Command
	for _, c := range commands {
		if c.Hidden || c.Name == "" {
			continue
		}
		name := path + " " + c.Name
		out = append(out, manual.Command{
			Path: name, Does: c.Usage, Args: c.ArgsUsage, Heading: c.Category, Text: texts[name],
			Flags: flagsOf(app, c.Flags), Commands: commandsOf(app, name, c.Subcommands, texts),
		})
	}
	return out
}

func flagsOf(app *cli.App, flags []cli.Flag) []manual.Flag {
	var out []manual.Flag
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		if v, hides := f.(cli.VisibleFlag); !ok || hides && !v.IsVisible() || f.Names()[0] == "help" {
			continue
		}
		value, does := placeholder(d)
		m := manual.Flag{
			Name: f.Names()[0], Short: f.Names()[1:], Value: value, Does: does,
			Default: defaultOf(f, does), Env: command.VariablesOf(app, f),
		}
		if c, ok := f.(cli.CategorizableFlag); ok {
			m.Heading = c.GetCategory()
		}
		if c, ok := f.(*command.ChoiceFlag); ok {
			m.Choices = c.Values
		}
		if s, ok := f.(cli.DocGenerationSliceFlag); ok {
			m.Repeats = s.IsSliceFlag()
		}
		out = append(out, m)
	}
	return out
}

// metasyntactic matches a placeholder of a value between backquotes. Other words between backquotes are commands.
var metasyntactic = regexp.MustCompile("`([^`a-z]+|JOB:m3@195s|SHELL COMMAND)`")

// placeholder returns the placeholder of a flag's value, and the flag's description. If the usage has no
// placeholder, it is the last word of the flag's name.
func placeholder(f cli.DocGenerationFlag) (value, does string) {
	usage := f.GetUsage()
	does = metasyntactic.ReplaceAllString(usage, "$1")
	if !f.TakesValue() {
		return "", does
	}
	if m := metasyntactic.FindStringSubmatch(usage); m != nil {
		return m[1], does
	}
	name := f.Names()[0]
	return strings.ToUpper(name[strings.LastIndexByte(name, '-')+1:]), does
}

// defaultOf returns a flag's default, unless its usage contains it. Zero means "not set", except for seeds and
// speeds.
func defaultOf(f cli.Flag, does string) string {
	if strings.Contains(does, "(default") {
		return ""
	}
	switch f := f.(type) {
	case *cli.DurationFlag:
		if f.Value != 0 {
			return units.Full(f.Value)
		}
	case *cli.BoolFlag:
		if f.Value {
			return "on; --" + f.Name + "=false turns it off"
		}
	case *cli.StringFlag:
		return f.Value
	case *command.ChoiceFlag:
		return f.Value
	case *cli.IntFlag:
		if f.Value != 0 {
			return fmt.Sprint(f.Value)
		}
	case *cli.Float64Flag:
		if f.Value != 0 || f.Name == "speed" {
			return fmt.Sprint(f.Value)
		}
	case *cli.GenericFlag:
		return f.Value.String()
	case *cli.Uint64Flag:
		return fmt.Sprint(f.Value)
	}
	return ""
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
		for _, m := range commandsOf(app, path, []*cli.Command{c}, texts) {
			c.CustomHelpTemplate = words(&m)
			helpfulCommands(app, m.Path, c.Subcommands, texts, args, words)
		}
	}
}

// template returns a template that outputs a text.
func template(text string) string { return strings.ReplaceAll(text, "{{", `{{"{{"}}`) }
