package accuracy

import (
	"os"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/lab/page"
)

// onPage checks that a page has a text.
func onPage(t *testing.T, file, text string) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text == "" || !strings.Contains(string(got), text) {
		t.Errorf("%s should have\n%s", file, text)
	}
}

// TestSimulatedPartsOfThePage: what docs/accuracy.md has of the paper's experiments and of monitoring is what the
// program says today.
func TestSimulatedPartsOfThePage(t *testing.T) {
	t.Parallel()
	lines, err := measured("../..")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(accuracyText, "{{range .Simulated}}")
	rows, _, _ = strings.Cut(rows, "{{end}}")
	var b strings.Builder
	if err := page.Write(&b, "{{range .}}"+rows+"{{end}}", lines); err != nil {
		t.Fatal(err)
	}
	onPage(t, "../../docs/accuracy.md", b.String())
	table, err := monitored(5)
	if err != nil {
		t.Fatal(err)
	}
	onPage(t, "../../docs/accuracy.md", table)
	onPage(t, "accuracy.tmpl", table)
}

// TestSampledTable: the page's table about profiles of samples is what the program says today.
func TestSampledTable(t *testing.T) {
	t.Parallel()
	table, err := sampledTable(3)
	if err != nil {
		t.Fatal(err)
	}
	onPage(t, "../../docs/accuracy.md", table)
	onPage(t, "accuracy.tmpl", table)
}

// The paper's figures of sections 4.2 to 4.4 that the simulation must meet.
func TestPublished(t *testing.T) {
	t.Parallel()
	lines, err := measured("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		name, e := l.Estimator, l.experiment
		if (name == "standard_static" && !(l.Mean <= 1.1 && l.Most <= 4.6)) ||
			(name == "standard" && strings.HasPrefix(e.name, "case") && !strings.HasPrefix(e.name, "case D:") && l.Under > 7) ||
			(name == "one_failure" && l.Over > 30) || (name == "skew_high" && l.Over > 17) ||
			(name == "skew_low" && !(l.Mean <= 6 && l.Over < 1)) || (name == "best_guess" && l.Mean > 4) {
			t.Errorf("%+v", l)
		}
		if e.real != "" && (l.Seconds < 2000 || l.Seconds > 2100) {
			t.Errorf("%s takes %.0f s, and about 2050 in the paper", e.name, l.Seconds)
		}
	}
}
