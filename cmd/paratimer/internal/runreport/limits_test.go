package runreport

import (
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// TestLimitsSummary holds what is said of the answers: what can be had, what no cluster can beat, and doubt before all
// numbers.
func TestLimitsSummary(t *testing.T) {
	row := func(question, change string, total float64) Limit {
		return Limit{Question: question, Change: change, TotalSeconds: sec(total), GainSeconds: sec(100 - total)}
	}
	inf, twice := row("a slot for every task", "--slots inf", 40), row("twice the slots", "--slots 2x", 60)
	doubted := twice
	doubted.Doubt = frame.Text("a cost is assumed")
	for _, c := range []struct {
		rows  []Limit
		ended bool
		miss  float64
		want  string
	}{
		{
			[]Limit{inf, twice},
			true, 0,
			"With twice the slots it would have taken 1m instead of the 1m40s that it took: 40 % less; even with a slot for every task it would have taken about 40s.",
		},
		{
			[]Limit{inf, twice},
			false, 0,
			"With twice the slots it would take 1m instead of the 1m40s that are predicted: 40 % less; even with a slot for every task it would take about 40s.",
		},
		{
			[]Limit{doubted},
			false, 0,
			"With twice the slots it would take 1m instead of the 1m40s that are predicted: 40 % less, with a doubt that is said beside it.",
		},
		{
			[]Limit{inf},
			true, -0.39,
			"Doubtful, for a replay of the run comes out 39 % shorter than it was: nothing that was asked about and can be had would have taken 2 % or more off the 1m40s that it took; even with a slot for every task it would have taken about 40s.",
		},
		{
			[]Limit{row("a slot for every task", "--slots inf", 99)},
			false, 0.2,
			"Doubtful, for a replay of the run comes out 20 % longer than it was: nothing that was asked about and can be had would take 2 % or more off the 1m40s that are predicted; even a slot for every task would gain nothing.",
		},
		{
			[]Limit{{Question: "a slot for every task", Change: "--slots inf"}},
			true, 0,
			"Nothing that was asked about and can be had would have taken 2 % or more off the 1m40s that it took.",
		},
		{
			[]Limit{{Question: "twice the slots", Change: "--slots 2x"}, {
				Question: "a slot for every task",
				Change:   "--slots inf",
			}},
			false, 0,
			"Too much is assumed to tell of twice the slots; nothing else that was asked about and can be had would take 2 % or more off the 1m40s that are predicted.",
		},
	} {
		l := Limits{Rows: c.rows}
		if got := l.summary(c.ended, 100*time.Second, c.miss); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
