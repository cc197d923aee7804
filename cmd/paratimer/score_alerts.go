package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// alertTable prints when each bound fired against the truth.
func alertTable(out io.Writer, results []alert.Result) error {
	if len(results) == 0 {
		return nil
	}
	fmt.Fprintln(out, "alerts against the run's end; seconds of the run")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "bound\tdeadline\tfired s\twarning s\tlate\tverdict\t")
	for _, r := range results {
		deadline, late := "?", "no"
		if r.DeadlineAt != nil {
			deadline = r.DeadlineAt.Time().Format(time.RFC3339)
		}
		if r.Late {
			late = "yes"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t\n", r.Bound, deadline, secondsCell(r.FiredSeconds), secondsCell(r.WarningSeconds), late, verdictWords[r.Verdict])
	}
	return w.Flush()
}

// verdictWords say what an alert was worth.
var verdictWords = map[alert.Verdict]string{
	alert.True:   "true: warned in time",
	alert.False:  "false: it was not late",
	alert.Missed: "missed: late without a warning",
	alert.Silent: "silent, rightly",
}

func secondsCell(s *frame.Seconds) string {
	if s == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f", float64(*s))
}
