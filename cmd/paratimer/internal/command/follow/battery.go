package follow

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
)

// A Battery is the set of shown estimators (the ParaTimer paper, section 3.2.1). The zero value is ParaTimer's own
// scenarios.
type Battery struct {
	shown  []string // names of own scenarios; nil: all
	others []estimators.Scenario
}

// BatteryOf returns the value of --estimators, if it is valid.
func BatteryOf(c *cli.Context) (Battery, error) { return parseBattery(c.String("estimators")) }

// parseBattery parses --estimators. The headline's scenario, standard, is always shown.
func parseBattery(text string) (Battery, error) {
	names := settings.EstimatorNames()
	own := len(estimators.Scenarios())
	b := Battery{shown: names[:1]}
	picked := make([]bool, len(names))
	for _, word := range strings.Split(text, ",") {
		word = strings.TrimSpace(word)
		switch at := slices.Index(names, word); {
		case word == settings.OwnEstimators || word == settings.AllEstimators:
			for i := range names {
				picked[i] = picked[i] || i < own || word == settings.AllEstimators
			}
		case at < 0 && planfile.Nearest(word, names) != "":
			return b, command.Usage("--estimators %s: there is no estimator %q; did you mean %s?", text, word,
				planfile.Nearest(word, names))
		case at < 0:
			return b, command.Usage("--estimators %s: there is no estimator %q: give %s, %s, or names, separated by "+
				"commas, of\n%s\n%s",
				text, word, settings.OwnEstimators, settings.AllEstimators, manual.Wrap(strings.Join(names[:own], ", "), "  ", "  "),
				manual.Wrap("and, for comparison, "+strings.Join(names[own:], ", "), "  ", "  "))
		default:
			picked[at] = true
		}
	}
	for i, name := range names[1:own] {
		if picked[i+1] {
			b.shown = append(b.shown, name)
		}
	}
	for i, s := range paper.Others() {
		if picked[own+i] {
			b.others = append(b.others, s)
		}
	}
	return b, nil
}

// Scenarios returns the shown ones, standard first.
func (b Battery) Scenarios() []estimators.Scenario {
	var out []estimators.Scenario
	for _, s := range estimators.Scenarios() {
		if b.shown == nil || slices.Contains(b.shown, s.Name) {
			out = append(out, s)
		}
	}
	return append(out, b.others...)
}
