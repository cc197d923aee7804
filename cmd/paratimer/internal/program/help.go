package program

import (
	_ "embed"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/units"
)

//go:embed manual.txt
var manualTexts string

// Manual returns the command tree with its documentation.
func Manual(app *cli.App) *settings.Command {
	texts := settings.ParseTexts(manualTexts)
	return &settings.Command{
		Path: app.Name, Does: app.Usage, Text: texts[app.Name], Flags: settings.Of(""),
		Commands: commandsOf(app.Name, app.Commands, texts),
	}
}

func commandsOf(path string, commands []*cli.Command, texts map[string]settings.Text) []*settings.Command {
	return units.Each(commands, func(c *cli.Command) *settings.Command {
		m := &settings.Command{
			Path: path + " " + c.Name, Does: c.Usage, Args: c.ArgsUsage, Heading: c.Category, Hidden: c.Hidden,
		}
		m.Text, m.Flags, m.Commands = texts[m.Path], settings.Of(m.Words()), commandsOf(m.Path, c.Subcommands, texts)
		return m
	})
}

// help prints the help of the command with these words.
func help(c *cli.Context) error {
	words, write := c.Args().Slice(), settings.Help
	if i := slices.Index(words, "all"); i >= 0 {
		write, words = settings.HelpAll, slices.Concat(words[:i], words[i+1:])
	}
	m, err := manualFor(c, words)
	if err != nil {
		return err
	}
	_, err = io.WriteString(c.App.Writer, write(m))
	return err
}

// NoCommand is the action of the program without a command.
func NoCommand(c *cli.Context) error {
	if c.Bool("version") {
		return version(c)
	}
	return help(c)
}

// manualFor returns the command with these words, after the program's name or without it.
func manualFor(c *cli.Context, words []string) (*settings.Command, error) {
	at := Manual(c.App)
	if len(words) > 0 && words[0] == at.Path {
		words = words[1:]
	}
	for _, w := range words {
		next := at.Find(w)
		if next == nil {
			return nil, command.UnknownCommand(w, at.Words(), units.Each(at.Commands, (*settings.Command).Name))
		}
		at = next
	}
	return at, nil
}

// man prints a man page.
func man(c *cli.Context) error {
	m, err := manualFor(c, c.Args().Slice())
	if err != nil {
		return err
	}
	dir, b := c.String("out"), command.ThisBuild()
	var text string
	switch {
	case c.Args().Present() && (dir != "" || c.String("output") == "markdown"):
		return command.Usage("--out and --output markdown are of all commands: give none")
	case c.String("output") == "markdown":
		text = settings.Reference(m)
	case dir != "":
		return writePages(dir, m)
	default:
		text = settings.Man(m, b.Version, b.Day)
	}
	_, err = io.WriteString(c.App.Writer, text)
	return err
}

func writePages(dir string, root *settings.Command) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return command.Usage("--out: %w", err)
	}
	b := command.ThisBuild()
	for _, m := range root.All() {
		text := func(w io.Writer) error {
			_, err := io.WriteString(w, settings.Man(m, b.Version, b.Day))
			return err
		}
		if err := command.WriteFile(filepath.Join(dir, m.Page()+".1"), text); err != nil {
			return command.Usage("--out: %w", err)
		}
	}
	return nil
}
