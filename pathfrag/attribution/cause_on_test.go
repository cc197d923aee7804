package attribution_test

import (
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag/attribution"
)

// TestCausesOnCores holds that what people read of an application of Spark is about cores, not about containers, and
// that words for other clusters stay.
func TestCausesOnCores(t *testing.T) {
	t.Parallel()
	for _, c := range []attribution.Cause{
		attribution.Launch, attribution.Containers, attribution.Work, attribution.Failures, attribution.Finish,
	} {
		title, meaning := c.On(dag.Executors)
		for _, word := range []string{"container", "master", "Maps", "reduces"} {
			if strings.Contains(title+meaning, word) {
				t.Errorf("%s on executors is %q: %q", c, title, meaning)
			}
		}
		if !strings.HasSuffix(meaning, ".") || title == "" {
			t.Errorf("%s on executors is %q: %q", c, title, meaning)
		}
		for _, p := range []dag.Policy{dag.FIFO, dag.YARN} {
			if title, meaning := c.On(p); title != c.Title() || meaning != c.Meaning() {
				t.Errorf("%s on policy %d is %q: %q", c, p, title, meaning)
			}
		}
	}
}
