package live

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/notify/sinks"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// notifyCommand returns the command that tests the sinks of alerts.
func notifyCommand() *cli.Command {
	return command.Group("notify", "test the delivery of alerts",
		command.New("test", "", "send a test alert to every sink, resolve it, and print the answers", notifyTest))
}

// notifyTest sends a sample to every sink and resolves it. It prints a line for each sink and rule.
func notifyTest(c *cli.Context) error {
	if err := command.Arguments(c, 0, 0); err != nil {
		return err
	}
	dresses, names := []notify.Dress{{}}, []string{""}
	if path := c.String("rules"); path != "" {
		all, err := readRules(c, path)
		if err != nil {
			return err
		}
		dresses, names = nil, nil
		for i := range all {
			dresses, names = append(dresses, all[i].Dress()), append(names, ", rule "+all[i].Name)
		}
	}
	all, err := follow.Sinks(c)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return command.Usage(
			"nobody would be told: give --alertmanager, --webhook, --exec or bell, or set them in the configuration")
	}
	failed := 0
	for _, s := range all {
		for i, d := range dresses {
			text, err := tryOut(c, s, d)
			if err != nil {
				failed++
				text = "FAILED: " + err.Error()
			}
			fmt.Fprintf(c.App.Writer, "%s%s: %s\n", s.Key, view.Escape(names[i]), view.Escape(text))
		}
	}
	if err := c.Context.Err(); err != nil {
		return context.Cause(c.Context)
	}
	if failed > 0 {
		return fmt.Errorf("%s of %d failed", units.Count(failed, "test"), len(all)*len(dresses))
	}
	return nil
}

// tryOut sends the sample to a sink and resolves it, so that no alert stays open. With --dry-run it sends nothing.
func tryOut(c *cli.Context, s *notify.Sink, d notify.Dress) (text string, err error) {
	dry := c.Bool("dry-run")
	if dry && s.Preview == nil {
		return "not sent", nil
	}
	at := time.Now()
	var answers []string
	for _, status := range []notify.Status{notify.Firing, notify.Resolved} {
		n := notify.Sample(status, at, d)
		if dry {
			if text, err = sinks.DryRun(s, c.App.ErrWriter).Send(c.Context, n); err != nil {
				return "", err
			}
			continue
		}
		answer, err := s.Send(c.Context, n)
		if err != nil {
			return "", fmt.Errorf("%s: %w", status, err)
		}
		answers = append(answers, string(status)+": "+answer)
	}
	return cmp.Or(text, strings.Join(answers, "; ")), nil
}
