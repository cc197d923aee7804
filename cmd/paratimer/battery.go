package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/manual"
	"github.com/paratimer/paratimer/estimators"
)

// The words of --estimators that are no names of estimators.
const (
	ownEstimators = "own" // ParaTimer's scenarios
	allEstimators = "all" // those and the others, for comparison
)

// A battery is which estimators are shown (the ParaTimer paper, section 3.2.1). The zero battery is ParaTimer's own scenarios.
type battery struct {
	shown  []string // names of own scenarios; nil: all
	others []estimators.Scenario
}

// estimatorsFlag is --estimators.
func estimatorsFlag(does, value string) cli.Flag {
	return &choiceFlag{values: append([]string{ownEstimators, allEstimators}, estimatorNames()...), StringFlag: &cli.StringFlag{
		Name: "estimators", EnvVars: env("estimators"), Value: value,
		Usage: does + ": " + ownEstimators + " (ParaTimer's scenarios), " + allEstimators + " (other indicators as well), or `NAMES` such as standard,one_failure,skew_low",
		Action: func(_ *cli.Context, v string) error {
			_, err := parseBattery(v)
			return err
		},
	}}
}

// batteryOf is --estimators, which the flag's action has checked.
func batteryOf(c *cli.Context) (battery, error) { return parseBattery(c.String("estimators")) }

// parseBattery reads the words of --estimators. The headline's scenario, standard, is always among those that are shown.
func parseBattery(text string) (battery, error) {
	names := estimatorNames()
	own := len(estimators.Scenarios())
	b := battery{shown: names[:1]}
	picked := make([]bool, len(names))
	for _, word := range strings.Split(text, ",") {
		word = strings.TrimSpace(word)
		switch at := slices.Index(names, word); {
		case word == ownEstimators || word == allEstimators:
			for i := range names {
				picked[i] = picked[i] || i < own || word == allEstimators
			}
		case at < 0:
			return b, usage("--estimators %s: there is no estimator %q: give %s, %s, or names, separated by commas, of\n%s\n%s",
				text, word, ownEstimators, allEstimators, manual.Wrap(strings.Join(names[:own], ", "), "  ", "  "),
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
	for i, s := range estimators.Others() {
		if picked[own+i] {
			b.others = append(b.others, s)
		}
	}
	return b, nil
}

// scenarios are those that are shown, standard first.
func (b battery) scenarios() []estimators.Scenario {
	var out []estimators.Scenario
	for _, s := range estimators.Scenarios() {
		if b.shown == nil || slices.Contains(b.shown, s.Name) {
			out = append(out, s)
		}
	}
	return append(out, b.others...)
}

// estimatorNames are the names of all estimators, ParaTimer's own first, standard before all.
func estimatorNames() []string {
	var names []string
	for _, s := range slices.Concat(estimators.Scenarios(), estimators.Others()) {
		names = append(names, s.Name)
	}
	return names
}
