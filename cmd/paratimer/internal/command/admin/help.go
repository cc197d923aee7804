package admin

import (
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
)

func helpCommand() *cli.Command {
	return command.Plain(command.New("help", "[all] [COMMAND]", "show the help of a command; all: with every flag",
		help))
}

// help prints the help of the command with these words.
func help(c *cli.Context) error {
	words, write := c.Args().Slice(), manual.Help
	if i := slices.Index(words, "all"); i >= 0 {
		write, words = manual.HelpAll, slices.Concat(words[:i], words[i+1:])
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
		return Version(c)
	}
	return help(c)
}

// manualFor returns the command with these words, after the program's name or without it.
func manualFor(c *cli.Context, words []string) (*manual.Command, error) {
	at := Manual(c.App)
	if len(words) > 0 && words[0] == at.Path {
		words = words[1:]
	}
	for _, w := range words {
		next := at.Find(w)
		if next == nil {
			var names []string
			for _, m := range at.Visible() {
				names = append(names, m.Name())
			}
			_, of, _ := strings.Cut(at.Path, " ")
			return nil, command.UnknownCommand(w, of, names)
		}
		at = next
	}
	return at, nil
}

func manCommand() *cli.Command {
	return command.Plain(command.New("man", "[COMMAND]", "print a command's man page, or write all of them", man))
}

// man prints a man page.
func man(c *cli.Context) error {
	m, err := manualFor(c, c.Args().Slice())
	if err != nil {
		return err
	}
	root := Manual(c.App)
	switch dir := c.String("out"); {
	case c.String("output") == "markdown" && (dir != "" || c.Args().Present()):
		return command.Usage("--output markdown is of all commands, on stdout: give neither a command nor --out")
	case c.String("output") == "markdown":
		_, err = io.WriteString(c.App.Writer, manual.Reference(root))
	case dir == "":
		_, err = io.WriteString(c.App.Writer, manual.Man(root, m, thisRelease()))
	case c.Args().Present():
		return command.Usage("--out writes every command's page: name none, or leave it away")
	default:
		err = writePages(dir, root)
	}
	return err
}

func writePages(dir string, root *manual.Command) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return command.Usage("--out: %w", err)
	}
	for _, m := range root.All() {
		page := func(w io.Writer) error {
			_, err := io.WriteString(w, manual.Man(root, m, thisRelease()))
			return err
		}
		if err := command.WriteFile(filepath.Join(dir, m.Page()+".1"), page); err != nil {
			return command.Usage("--out: %w", err)
		}
	}
	return nil
}

// thisRelease returns the version, and the day of the commit that it was built from.
func thisRelease() manual.Release {
	r := manual.Release{Version: command.ThisBuild().Version}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if day, _, _ := strings.Cut(s.Value, "T"); s.Key == "vcs.time" {
				r.Date = day
			}
		}
	}
	return r
}
