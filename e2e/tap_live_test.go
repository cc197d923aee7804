//go:build e2e

package e2e

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"strings"
)

// A liveRow is a run through the tap, as docs/nearestfit.md tells of it.
type liveRow struct {
	scenario string
	with     graded // by the tape, which has what the tap told
	without  graded // by the capture, which has not
	reduces  float64
}

var (
	live     []liveRow
	liveFile = flag.String("live", "", "write what was measured of jobs through the tap to this `file`, for docs/nearestfit.md")
)

// liveTable is the table of what was measured; rows of an older one that were not measured again stay.
func liveTable(old []byte) []byte {
	names := []string{
		"standard", "nearestfit", "nearestfit_stream", "nearestfit_fit_only", "nearestfit_neighbours_only",
		"job_ratio", "task_ratio", "job_ratio_ewma", "task_ratio_ewma", "hadoop",
	}
	var b bytes.Buffer
	fmt.Fprint(&b, "Hadoop 3.4.2 on one machine: 24,000 records of 400 bytes, keys by Zipf's law with exponent 1, 4 reduces that sleep for their cost at\n"+
		"the end of a group. One key has an eighth of the records. *Streaming* is measured by `paratimer-tap` around its commands, the other jobs by\n"+
		"its jar. Cells are mean / max in points over the ticks with a prediction, in brackets the share of ticks without one. *No tap* is of the same run's\n"+
		"REST answers alone. *Cost* is what the reduces take with the tap over what they take without.\n\n"+
		"| job | total s | standard, no tap | counters, no tap |")
	for _, n := range names {
		fmt.Fprintf(&b, " %s |", n)
	}
	fmt.Fprint(&b, " cost |\n|---|---|---|---|")
	for range names {
		fmt.Fprint(&b, "---|")
	}
	fmt.Fprintln(&b, "---|")
	measured := map[string]bool{}
	for _, r := range live {
		measured[r.scenario] = true
	}
	columns := bytes.Count(b.Bytes()[bytes.LastIndexByte(bytes.TrimSpace(b.Bytes()), '\n')+1:], []byte("|"))
	for line := range bytes.Lines(old) {
		row := strings.Split(string(line), "|")
		if len(row) == columns+1 && !strings.HasPrefix(row[1], "---") && strings.TrimSpace(row[1]) != "job" && !measured[strings.TrimSpace(row[1])] {
			b.Write(line)
		}
	}
	for _, r := range live {
		cell := func(g graded, name string) string {
			s := g.of(name)
			if s.Mean == nil {
				return "–"
			}
			return s.String()
		}
		fmt.Fprintf(&b, "| %s | %.1f | %s | %s |", r.scenario, r.with.Total, cell(r.without, "standard"), cell(r.without, "nearestfit_counters"))
		for _, n := range names {
			fmt.Fprintf(&b, " %s |", cell(r.with, n))
		}
		cost := "–"
		if !math.IsNaN(r.reduces) {
			cost = fmt.Sprintf("%.3f", r.reduces)
		}
		fmt.Fprintf(&b, " %s |\n", cost)
	}
	return b.Bytes()
}
