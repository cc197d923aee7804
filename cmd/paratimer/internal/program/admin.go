package program

import (
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
)

// shells are those that have a completion script.
const shells = "bash|zsh|fish"

// Commands returns the commands of this package.
func Commands() []*cli.Command {
	return []*cli.Command{
		hidden(command.Plain(command.New("help", "[all] [COMMAND]", "show the help of a command; all: with every flag", help))),
		command.Plain(command.New("config", "[COMMAND]", "show the settings of a command, or of all", configShow)),
		hidden(command.Plain(command.New("completion", shells,
			"print a script that completes commands, flags and files in a shell", completion))),
		hidden(command.Plain(command.New("man", "[COMMAND]", "print a command's man page, or write all of them", man))),
		hidden(command.New("version", "", "print the version", version)),
	}
}

// hidden leaves a command out of the list of commands: the text of the program's manual names it.
func hidden(c *cli.Command) *cli.Command {
	c.Hidden = true
	return c
}

// version prints the version of the program.
func version(c *cli.Context) error {
	b := command.ThisBuild()
	if c.String("output") == "json" {
		return json.NewEncoder(c.App.Writer).Encode(b)
	}
	_, err := fmt.Fprintf(c.App.Writer, "paratimer %s (%s, %s)\n", b.Version, b.Go, b.Platform)
	return err
}
