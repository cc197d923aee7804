// Package admin has the commands about paratimer itself: help, config, completion, man, version and doctor.
package admin

import (
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
)

// Commands returns the commands of this package, in the order of the help.
func Commands() []*cli.Command {
	return []*cli.Command{
		helpCommand(),
		configCommand(),
		completionCommand(),
		manCommand(),
		command.New("version", "", "print the version", Version),
	}
}

// Version prints the version of the program.
func Version(c *cli.Context) error {
	b := command.ThisBuild()
	if c.String("output") == "json" {
		return json.NewEncoder(c.App.Writer).Encode(b)
	}
	_, err := fmt.Fprintf(c.App.Writer, "paratimer %s (%s, %s)\n", b.Version, b.Go, b.Platform)
	return err
}
