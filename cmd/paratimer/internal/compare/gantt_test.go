package compare

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// drawn returns a chart of one bar that ends some seconds after the start.
func drawn(seconds frame.Seconds) *chart.Gantt {
	return &chart.Gantt{ToSeconds: seconds, Panels: []chart.Panel{{
		Title: hostile, Rows: []string{"1", "2"},
		Bars: []chart.Bar{
			{
				Row: 1, Rows: 1, EndSeconds: seconds, Job: 0, Phase: frame.Phase{Stage: dag.Map}, Name: hostile,
				Outcome: chart.OK, Critical: true,
			},
			{Rows: 1, EndSeconds: 1, Job: 7, Name: "of no job", Outcome: chart.Failed},
		},
	}}}
}

// TestGantts checks that both runs are drawn on one scale of time, in the same colors, and that one chart alone is
// none.
func TestGantts(t *testing.T) {
	t.Parallel()
	chartsOf := func(first, second *chart.Gantt) *Comparison {
		a, b := run("a", 0, dag.Succeeded, 10_000), run("b", 1, dag.Succeeded, 16_000)
		a.Chart, b.Chart = first, second
		return compared(t, a, b)
	}
	both, one := chartsOf(drawn(10), drawn(20)), chartsOf(drawn(10), nil)
	var with, without bytes.Buffer
	if err := both.Document().HTML(&with); err != nil {
		t.Fatal(err)
	}
	if err := one.Document().HTML(&without); err != nil {
		t.Fatal(err)
	}
	bars := regexp.MustCompile(`<g class="bars on k0 s0"[^>]*><rect x="0%" y="\S+" width="(\d+)%"`).FindAllStringSubmatch(
		with.String(), -1)
	if len(bars) != 2 || bars[0][1] != "50" || bars[1][1] != "100" {
		t.Errorf("bars: %v", bars)
	}
	if n := strings.Count(with.String(), `<rect class="failed"`); n != 2 {
		t.Errorf("%d failed bars", n)
	}
	if strings.Contains(without.String(), "What ran when") || strings.Contains(with.String(), "<script>alert") ||
		strings.ContainsAny(with.String(), "\x1b\u202e") {
		t.Error("one chart alone is drawn, or a name is markup")
	}
}
