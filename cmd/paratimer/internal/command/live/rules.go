package live

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/fleet"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// readRules reads a rule file. Errors in it are usage errors.
func readRules(c *cli.Context, path string) ([]fleet.Rule, error) {
	all, err := fleet.ReadRules(path, c.App.Reader, command.Zone(c))
	if err == nil {
		return all, nil
	}
	return nil, cmp.Or(input.WrongKind(path, "rule file"), command.Usage("%w", err))
}

// checkRules prints the rules of a file. Its error describes what is wrong with the file.
func checkRules(c *cli.Context) error {
	if c.String("output") == "json" {
		return command.Usage("--check has no JSON: its exit code is 2 if the file has errors, which have file, line and column")
	}
	all, err := readRules(c, c.String("rules"))
	if err != nil {
		return err
	}
	rows := [][]string{{"RULE", "WORKFLOWS", "BOUND", "FIRES", "HELD", "SEVERITY"}}
	for _, r := range all {
		var match []string
		for _, p := range [][2]string{
			{"name", r.Match.Name}, {"user", r.Match.User}, {"queue", r.Match.Queue}, {"engine", r.Match.Engine},
		} {
			if p[1] != "" {
				match = append(match, p[0]+" "+p[1])
			}
		}
		rows = append(rows, []string{
			r.Name, view.Escape(cmp.Or(strings.Join(match, ", "), "every workflow")), r.BoundText(),
			"from " + units.Percent(cmp.Or(r.Risk, alert.DefaultThreshold)) + " on",
			units.Count(cmp.Or(r.Hold, alert.DefaultHold), "tick"), view.Escape(cmp.Or(r.Severity, units.Unknown)),
		})
	}
	fmt.Fprintf(c.App.Writer, "%s: %s\n", c.String("rules"), units.Count(len(all), "rule"))
	return view.Table(c.App.Writer, 0, rows)
}
