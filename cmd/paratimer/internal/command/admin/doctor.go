package admin

import (
	"encoding/json"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/engine"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// Doctor returns `paratimer doctor`.
func Doctor() *cli.Command {
	return command.New("doctor", "", "check which services of a cluster or a Spark driver answer, and suggest fixes", doctor)
}

// doctor reports which services of a cluster can be reached, and suggests fixes for the others.
func doctor(c *cli.Context) error {
	if err := command.Arguments(c, 0, 0); err != nil {
		return err
	}
	checks, err := examine(c)
	if err != nil {
		return err
	}
	if err := printChecks(c, checks); err != nil {
		return err
	}
	for _, check := range checks {
		if check.Status == yarn.Fail {
			return fmt.Errorf("%s: a query cannot be watched", check.Name)
		}
	}
	return nil
}

// examine checks the Spark driver of --spark, else the cluster, else a driver on this machine.
func examine(c *cli.Context) ([]yarn.Check, error) {
	driver, err := input.NewDriver(c.Context, c, "", nil)
	if err != nil {
		return nil, err
	}
	if driver != nil {
		defer driver.Client.Close()
		return driver.Doctor(c.Context), nil
	}
	client, err := input.NewClient(c, nil)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	return engine.Check(c.Context, client), nil
}

func printChecks(c *cli.Context, checks []yarn.Check) error {
	if c.String("output") == "json" {
		return json.NewEncoder(c.App.Writer).Encode(struct {
			Checks []yarn.Check `json:"checks"`
		}{checks})
	}
	for _, check := range checks {
		if _, err := fmt.Fprintf(c.App.Writer, "%-4s  %s: %s\n", check.Status, view.Escape(check.Name),
			view.Escape(check.Text)); err != nil {
			return err
		}
		if check.Hint != "" {
			fmt.Fprintf(c.App.Writer, "      → %s\n", view.Escape(check.Hint))
		}
	}
	return nil
}
