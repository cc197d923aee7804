package runreport

import (
	"testing"
	"time"
)

// TestLimitsSummary checks that the feasible change that helps most is named: no cluster has a slot for every task.
func TestLimitsSummary(t *testing.T) {
	row := func(question, change string, total float64) Limit {
		return Limit{Question: question, Change: change, TotalSeconds: *sec(total), GainSeconds: *sec(100 - total)}
	}
	inf, twice := row("a slot for every task", "--slots inf", 40), row("twice the slots", "--slots 2x", 60)
	for _, c := range []struct {
		rows  []Limit
		ended bool
		want  string
	}{
		{[]Limit{inf, twice}, true, "With twice the slots it would have taken 1m instead of 1m40s: 40% less."},
		{[]Limit{inf, twice}, false, "With twice the slots it would take 1m instead of 1m40s: 40% less."},
		{[]Limit{inf}, true, "No feasible change would have taken 2% or more off."},
		{[]Limit{row("twice the slots", "--slots 2x", 99)}, false, "No feasible change would take 2% or more off."},
	} {
		l := Limits{Rows: c.rows}
		if l.choose(c.ended, 100*time.Second); l.Summary != c.want {
			t.Errorf("%s\nwant %s", l.Summary, c.want)
		}
	}
}
