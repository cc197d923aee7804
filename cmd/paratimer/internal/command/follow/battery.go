package follow

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/estimators/paper"
)

// A Battery is the set of shown estimators (the ParaTimer paper, section 3.2.1). The zero value is ParaTimer's own
// scenarios.
type Battery struct {
	shown  []string // names of own scenarios; nil: all
	others []estimators.Scenario
}

// ParseBattery parses --estimators. The headline's scenario, standard, is always shown.
func ParseBattery(text string) (Battery, error) {
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
				text, word, settings.OwnEstimators, settings.AllEstimators,
				settings.Wrap(strings.Join(names[:own], ", "), "  ", "  "),
				settings.Wrap("and, for comparison, "+strings.Join(names[own:], ", "), "  ", "  "))
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
	isOff := func(s estimators.Scenario) bool { return b.shown != nil && !slices.Contains(b.shown, s.Name) }
	return append(slices.DeleteFunc(estimators.Scenarios(), isOff), b.others...)
}

// EstimatorSetOf returns the estimators: ParaTimer's scenarios, the range, uneven reduces, and the others of a battery.
// The headline and alerts use all of ParaTimer's scenarios, shown or not. The range has that many samples; 0: the
// default.
func EstimatorSetOf(model estimators.Model, b Battery, samples int) watch.EstimatorSet {
	scenarios := append(estimators.Scenarios(), estimators.Corrected(estimators.Sampled()), explain.SkewScenario())
	n := len(scenarios) - 2
	scenarios = append(scenarios, b.others...)
	all := estimators.Shared(scenarios, model, estimators.Options{Samples: samples})
	return watch.EstimatorSet{
		Scenarios: all[:n], Shown: b.shown, Sampled: all[n], Uneven: all[n+1], Others: all[n+2:],
		Model: model,
	}
}

// ModelOf returns the cost model with the flags' parameters.
func ModelOf(c *cli.Context) estimators.Model {
	return cost.With(cost.Options{DeltaBytes: c.Float64("delta")})
}
