package past

import (
	"slices"
	"strings"
	"testing"
)

// TestMainRows holds which rows score prints. An indicator that is silent for most of the run is never the best, nor is
// a scenario of ParaTimer's own.
func TestMainRows(t *testing.T) {
	t.Parallel()
	row := func(name string, mean, none float64) estimatorScore {
		return estimatorScore{Name: name, MeanPoints: &mean, NoEstimateRatio: &none}
	}
	all := []estimatorScore{
		row("standard", 3, 0), row("one_failure", 1, 0), row("three_failures", 1, 0), row("parallax", 9, 0.1),
		row("pig", 8, 0), row("hadoop", 4, 0), row("dne", 5, 0), row("luo", 2, 0.9),
		{Name: "nearestfit"},
	}
	var names []string
	rows := mainRows(all)
	for _, r := range rows {
		names = append(names, r.Name)
	}
	if want := []string{"standard", "hadoop", "dne", "pig"}; !slices.Equal(names, want) {
		t.Errorf("rows %q, want %q", names, want)
	}
	legend := legendOf(rows, len(all))
	for _, want := range []string{"  pig: the best of the other indicators: Pig's", "--all shows 5 more", "bias:"} {
		if !strings.Contains(legend, want) {
			t.Errorf("the legend has no %q:\n%s", want, legend)
		}
	}
	if rows := mainRows(all[:1]); len(rows) != 1 {
		t.Errorf("%d rows of one", len(rows))
	}
}
