package view

import (
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// A Case is a scenario and its remaining time as text.
type Case struct {
	Scenario, Left string
	Estimate       int // index of its estimate
}

// Cases returns the scenarios with a known time. It leaves out those about other applications if there are none.
func Cases(estimates []frame.Estimate, h frame.Headline) []Case {
	var out []Case
	for i := range estimates {
		if e := &estimates[i]; e.RemainingSeconds != nil && !e.Moot {
			out = append(out, Case{e.Scenario, Left(*e.RemainingSeconds, h), i})
		}
	}
	return out
}

// A CaseRow is the cases with the same text: the first of them, and the others.
type CaseRow struct {
	Case int
	Same []int
}

// MergeCases groups cases with the same text, in the order of the first of each group. Unknown ones have rows of
// their own.
func MergeCases(cases []Case) []CaseRow {
	var rows []CaseRow
	for i, c := range cases {
		at := slices.IndexFunc(rows, func(r CaseRow) bool { return cases[r.Case].Left == c.Left })
		if at < 0 || c.Left == units.Unknown {
			rows = append(rows, CaseRow{Case: i})
			continue
		}
		rows[at].Same = append(rows[at].Same, i)
	}
	return rows
}

// conditions are the texts for scenarios in a sentence, and the subject of each.
var conditions = []struct{ scenario, about, condition string }{
	{"one_failure", "a failure", "if the longest task fails"},
	{"failure_until_proven", "a failure", "if a failure is still to come"},
	{"skew_low", "skew", "with skew at its best"},
	{"skew_high", "skew", "with skew at its worst"},
	{"best_guess", "skew", "in the scheduler's likely order"},
	{"slots_as_now", "other applications", "if others keep what they hold"},
	{"slots_fair_share", "other applications", "with our queue's share"},
	{"alone", "other applications", "without other applications"},
}

// LeftIf returns in a sentence how the remaining time differs between scenarios, each time once: "~21m as it is ·
// ~33m if the longest task fails · skew: no difference". The first case is the standard one. It returns "" if that
// one is unknown, or if no other case is known.
func LeftIf(cases []Case) string {
	if len(cases) < 2 || cases[0].Left == units.Unknown {
		return ""
	}
	parts := []string{cases[0].Left + " as it is"}
	var same, differ []string
	said := map[string]bool{cases[0].Left: true}
	for _, of := range conditions {
		i := slices.IndexFunc(cases[1:], func(c Case) bool { return c.Scenario == of.scenario }) + 1
		switch {
		case i == 0 || cases[i].Left == units.Unknown:
		case cases[i].Left == cases[0].Left:
			if !slices.Contains(same, of.about) {
				same = append(same, of.about)
			}
		default:
			differ = append(differ, of.about)
			if !said[cases[i].Left] {
				said[cases[i].Left] = true
				parts = append(parts, cases[i].Left+" "+of.condition)
			}
		}
	}
	same = slices.DeleteFunc(same, func(about string) bool { return slices.Contains(differ, about) })
	if len(same) > 0 {
		parts = append(parts, strings.Join(same, ", ")+": no difference")
	}
	if len(parts) == 1 {
		return ""
	}
	return strings.Join(parts, " · ")
}
