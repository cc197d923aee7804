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

// conditions are the texts for scenarios in a sentence.
var conditions = map[string]string{
	"standard": "as it is", "one_failure": "if the longest task fails",
	"failure_until_proven": "if a failure is still to come", "skew_low": "with skew at its best",
	"skew_high": "with skew at its worst", "best_guess": "in the scheduler's likely order",
	"slots_as_now": "if others keep what they hold", "slots_fair_share": "with our queue's share",
	"alone": "without other applications",
}

// LeftIf returns in a sentence how the remaining time differs between scenarios, each time once: "~21m as it is ·
// ~33m if the longest task fails · no difference with skew at its best". The first case is the standard one. It returns
// "" if that one is unknown, or if no other case is known.
func LeftIf(cases []Case) string {
	cases = slices.DeleteFunc(slices.Clone(cases), func(c Case) bool {
		return conditions[c.Scenario] == "" || c.Left == units.Unknown
	})
	if len(cases) < 2 || cases[0].Scenario != "standard" {
		return ""
	}
	var parts, same []string
	for i, row := range MergeCases(cases) {
		parts = append(parts, cases[row.Case].Left+" "+conditions[cases[row.Case].Scenario])
		for _, s := range row.Same {
			if i == 0 {
				same = append(same, conditions[cases[s].Scenario])
			}
		}
	}
	if len(same) > 0 {
		parts = append(parts, "no difference "+strings.Join(same, ", "))
	}
	return strings.Join(parts, " · ")
}
