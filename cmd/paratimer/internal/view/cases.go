package view

import (
	"slices"

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

// MergeCases groups the indices of cases with the same text, in the order of the first of each group. Unknown ones have
// groups of their own.
func MergeCases(cases []Case) [][]int {
	var rows [][]int
	for i, c := range cases {
		at := slices.IndexFunc(rows, func(row []int) bool { return cases[row[0]].Left == c.Left })
		if at < 0 || c.Left == units.Unknown {
			rows = append(rows, []int{i})
			continue
		}
		rows[at] = append(rows[at], i)
	}
	return rows
}
