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
	picked := map[string]bool{names[0]: true}
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		those := []string{word}
		switch near := planfile.Nearest(word, names); {
		case word == settings.OwnEstimators:
			those = names[:own]
		case word == settings.AllEstimators:
			those = names
		case slices.Contains(names, word):
		case near != "":
			return Battery{}, command.Usage("--estimators %s: there is no estimator %q; did you mean %s?", text, word, near)
		default:
			return Battery{}, command.Usage("--estimators %s: there is no estimator %q: give %s, %s, or names, separated by "+
				"commas, of\n%s\n%s",
				text, word, settings.OwnEstimators, settings.AllEstimators, manual.Wrap(strings.Join(names[:own], ", "), "  ", "  "),
				manual.Wrap("and, for comparison, "+strings.Join(names[own:], ", "), "  ", "  "))
		}
		for _, name := range those {
			picked[name] = true
		}
	}
	isOff := func(name string) bool { return !picked[name] }
	return Battery{
		shown:  slices.DeleteFunc(slices.Clone(names[:own]), isOff),
		others: slices.DeleteFunc(paper.Others(), func(s estimators.Scenario) bool { return isOff(s.Name) }),
	}, nil
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
