package admin

import (
	"strings"

	_ "embed"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
)

//go:embed manual.txt
var manualTexts string

// Manual returns the command tree with its documentation.
func Manual(app *cli.App) *manual.Command {
	texts, err := manual.ParseTexts(manualTexts)
	if err != nil {
		panic(err) // a part of the program is wrong
	}
	root := &manual.Command{Path: app.Name, Does: app.Usage, Text: texts[app.Name], Flags: settings.Of("")}
	root.Commands = commandsOf(app.Name, app.Commands, texts)
	return root
}

func commandsOf(path string, commands []*cli.Command, texts map[string]manual.Text) []*manual.Command {
	var out []*manual.Command
	for _, c := range commands {
		name := path + " " + c.Name
		out = append(out, &manual.Command{
			Path: name, Does: c.Usage, Args: c.ArgsUsage, Heading: c.Category, Text: texts[name], Hidden: c.Hidden,
			Flags: settings.Of(strings.TrimPrefix(name, "paratimer ")), Commands: commandsOf(name, c.Subcommands, texts),
		})
	}
	return out
}
