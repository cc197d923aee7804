//go:build e2e

package e2e

import (
	"strings"
	"testing"
)

// TestSummaryKeepsRows: a scenario that ran takes its row's place, one that did not run keeps its own.
func TestSummaryKeepsRows(t *testing.T) {
	saved := rows
	defer func() { rows = saved }()
	never := func() bool { return false }
	rows = []row{{scenario: "one", total: 1, failed: never}, {scenario: "two", total: 2, failed: never}}
	old := summary(nil)
	rows = []row{{scenario: "three", total: 3, failed: never}, {scenario: "one", total: 10, failed: never}}
	var got []string
	for line := range strings.Lines(string(summary(old))) {
		if cells := strings.Split(line, " | "); len(cells) > 5 && cells[0] != "| scenario" {
			got = append(got, strings.TrimPrefix(cells[0], "| ")+" "+cells[1])
		}
	}
	if want := "one 10.0, two 2.0, three 3.0"; strings.Join(got, ", ") != want {
		t.Errorf("rows %v, want %s", got, want)
	}
}
