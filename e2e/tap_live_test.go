//go:build e2e

package e2e

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// A liveRow is a run through the tap, for docs/evidence/nearestfit.md.
type liveRow struct {
	scenario string
	with     graded // by the tape, with the reports of the tap
	without  graded // by the capture, which has not
	reduces  float64
}

var (
	live     []liveRow
	liveFile = flag.String("live", "",
		"write what was measured of jobs through the tap to this `file`, for docs/evidence/nearestfit.md")
)

// liveTable is the table of what was measured; rows of an older one that were not measured again stay.
func liveTable(old []byte) []byte {
	names := []string{
		"standard", "nearestfit", "nearestfit_stream", "nearestfit_fit_only", "nearestfit_neighbours_only",
		"job_ratio", "task_ratio", "job_ratio_ewma", "task_ratio_ewma", "hadoop",
	}
	var rows [][]string
	for _, r := range live {
		cells := []string{
			r.scenario, fmt.Sprintf("%.1f", r.with.Total), cell(r.without, "standard"),
		}
		for _, n := range names {
			cells = append(cells, cell(r.with, n))
		}
		cost := "–"
		if !math.IsNaN(r.reduces) {
			cost = fmt.Sprintf("%.3f", r.reduces)
		}
		rows = append(rows, append(cells, cost))
	}
	titles := slices.Concat([]string{"job", "total s", "standard, no tap"}, names, []string{"cost"})
	return renewed(old, "Hadoop 3.4.2 on one machine: 24,000 records of 400 bytes, keys by Zipf's law with exponent 1, 4 reduces that sleep for their cost at\n"+
		"the end of a group. One key has an eighth of the records. *Streaming* is measured by `paratimer-tap` around its commands, the other jobs by\n"+
		"its jar. Cells are mean / max in points over the ticks with a prediction, in brackets the share of ticks without one. *No tap* is of the same run's\n"+
		"REST answers alone. *Cost* is what the reduces take with the tap over what they take without.\n\n", titles,
		rows)
}

// cell is an estimator's score in a table.
func cell(g graded, name string) string {
	s := g.of(name)
	if s.Mean == nil {
		return "–"
	}
	return s.String()
}

// renewed is a text and a table after it, with new rows in the place of an older table's that begin with the same cell,
// and the others after them.
func renewed(old []byte, text string, titles []string, rows [][]string) []byte {
	format := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
	var all []string
	for line := range strings.Lines(string(old)) {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		if strings.HasPrefix(line, "| ") && strings.Count(line, "|") == len(titles)+1 && name != titles[0] {
			at := slices.IndexFunc(rows, func(row []string) bool { return row[0] == name })
			if at >= 0 {
				line = format(rows[at])
				rows = slices.Delete(slices.Clone(rows), at, at+1)
			}
			all = append(all, line)
		}
	}
	for _, row := range rows {
		all = append(all, format(row))
	}
	return []byte(text + format(titles) + "|" + strings.Repeat("---|", len(titles)) + "\n" + strings.Join(all, ""))
}

// TestLiveTable: a table of which nothing is measured anew stays as it is, and what is measured takes the place of its
// old row.
func TestLiveTable(t *testing.T) {
	old, err := os.ReadFile("../lab/live.md")
	if err != nil {
		t.Fatal(err)
	}
	measured := live
	live = nil
	defer func() { live = measured }()
	if got := liveTable(old); string(got) != string(old) {
		t.Errorf("the table is another one: %s", firstDifference(old, got))
	}
	titles := []string{"job", "s"}
	got := string(renewed([]byte("Words.\n\n| job | s |\n|---|---|\n| a | 1 |\n| b | 2 |\n"), "New.\n\n", titles,
		[][]string{{"c", "5"}, {"a", "4"}}))
	if want := "New.\n\n| job | s |\n|---|---|\n| a | 4 |\n| b | 2 |\n| c | 5 |\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
