package attribution_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/pathfrag/attribution"
)

// TestCausesAreDocumented holds that docs/report.md names every cause with its meaning, and no other, in order.
func TestCausesAreDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| cause | means |\n|---|---|\n"
	seen := map[string]bool{}
	for _, c := range attribution.Causes() {
		want += fmt.Sprintf("| `%s` | %s |\n", c, c.Meaning())
		name, err := c.MarshalText()
		if err != nil || seen[string(name)] || c.Title() == "" || !strings.HasSuffix(c.Meaning(), ".") ||
			strings.Count(c.Meaning(), ". ") > 0 {
			t.Errorf("cause %s: %q means %q", name, c.Title(), c.Meaning())
		}
		seen[string(name)] = true
	}
	if !strings.Contains(string(b), want+"\n") {
		t.Errorf("docs/report.md lacks the table\n%s", want)
	}
	if c := attribution.Cause(99); c.String() != "unknown(99)" || c.Title() != "unknown(99)" || c.Meaning() != "" {
		t.Errorf("%v", c)
	}
}
