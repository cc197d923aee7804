package admin

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/complete"
)

func completionCommand() *cli.Command {
	return command.Plain(command.New("completion", strings.Join(complete.Shells(), "|"),
		"print a script that completes commands, flags and files in a shell", completion))
}

// completion prints a shell's script.
func completion(c *cli.Context) error {
	script, err := complete.Script(c.Args().First())
	if err != nil {
		return command.Usage("%w", err)
	}
	_, err = io.WriteString(c.App.Writer, script)
	return err
}
