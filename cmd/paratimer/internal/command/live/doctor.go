package live

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/fleet"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// doctor reports which services of a cluster can be reached, and suggests fixes for the others. With --notify it
// tests the sinks of alerts instead.
func doctor(c *cli.Context, _ *follow.Flags) error {
	check, cannot := input.Check, "a query cannot be watched"
	if c.Bool("notify") {
		check, cannot = checkSinks, "alerts do not arrive"
	}
	checks, err := check(c)
	if err != nil {
		return err
	}
	if err := command.Print(c, map[string]any{"checks": checks}, func(w io.Writer) error {
		for _, check := range checks {
			fmt.Fprintf(w, "%-4s  %s: %s\n", check.Status, view.Escape(check.Name), view.Escape(check.Text))
			if check.Hint != "" {
				fmt.Fprintf(w, "      → %s\n", view.Escape(check.Hint))
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := context.Cause(c.Context); err != nil {
		return err
	}
	if i := slices.IndexFunc(checks, func(c yarn.Check) bool { return c.Status == yarn.Fail }); i >= 0 {
		return fmt.Errorf("%s: %s", checks[i].Name, cannot)
	}
	return nil
}

// checkSinks sends a test alert to every sink, for each rule of --rules one, and resolves it.
func checkSinks(c *cli.Context) (checks []yarn.Check, err error) {
	tested := fleet.Everything()
	if path := c.String("rules"); path != "" {
		if tested, err = readRules(c, path); err != nil {
			return nil, err
		}
	}
	all, err := follow.Sinks(c, time.Now)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, command.Usage("there is no sink of alerts: give --alertmanager, --webhook or --exec, or set them in the configuration")
	}
	for _, s := range all {
		for i := range tested {
			check := yarn.Check{Name: s.Key, Status: yarn.OK}
			if !tested[i].Unbound() {
				check.Name += ", rule " + tested[i].Name
			}
			if check.Text, err = trySink(c, s, tested[i].Dress()); err != nil {
				check.Status, check.Text = yarn.Fail, err.Error()
			}
			checks = append(checks, check)
		}
	}
	return checks, nil
}

// trySink sends the sample to a sink and resolves it, so that no alert stays open. With --dry-run it sends nothing.
func trySink(c *cli.Context, s *notify.Sink, d notify.Dress) (text string, err error) {
	if c.Bool("dry-run") {
		s = notify.DryRun(s, c.App.ErrWriter)
	}
	at := time.Now()
	var answers []string
	for _, status := range []notify.Status{notify.Firing, notify.Resolved} {
		answer, err := s.Send(c.Context, notify.Sample(status, at, d, c.String("link")))
		if err != nil {
			return "", fmt.Errorf("%s: %w", status, err)
		}
		answers = append(answers, string(status)+": "+answer)
	}
	return strings.Join(answers, "; "), nil
}
