package tty

import (
	"os"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/screen"
)

// TestDocumentedKeys holds that docs/terminal.md tells of the keys as the help on the screen does.
func TestDocumentedKeys(t *testing.T) {
	b, err := os.ReadFile("../../../../docs/terminal.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "| key | what it does |\n|---|---|\n")
	got, _, _ := strings.Cut(rest, "\n\n")
	var want []string
	for _, k := range screen.Keys() {
		row := "| `" + strings.Join(k.Keys, "`, `") + "` | " + k.Meaning
		if k.Replay {
			row += " (recordings)"
		}
		want = append(want, row+" |")
	}
	if w := strings.Join(want, "\n"); got != w {
		t.Errorf("the table of keys in docs/terminal.md is\n%s\nwant\n%s", got, w)
	}
}
