package tty

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/screen"
)

// TestDocumentedKeys checks that docs/screen.md has the keys as the help on the screen does.
func TestDocumentedKeys(t *testing.T) {
	b, err := os.ReadFile("../../../../docs/screen.md")
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
		t.Errorf("the table of keys in docs/screen.md is\n%s\nwant\n%s", got, w)
	}
}

// TestDocumentedKeysOfTheList checks that each key in the table of docs/screen.md about many queries has an effect on
// their list.
func TestDocumentedKeysOfTheList(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../../../docs/screen.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(b), "## Many queries\n")
	section, _, _ = strings.Cut(section, "\n## ")
	keys := regexp.MustCompile(`(?m)^\| (.*) \| `).FindAllStringSubmatch(section, -1)
	if len(keys) != 5 {
		t.Fatalf("rows %q", keys)
	}
	for _, row := range keys[1:] {
		for key := range strings.SplitSeq(row[1], ", ") {
			l := list(t, 50)
			l.keys("/", "n", "enter", "down", "down")
			before := l.m.View().Content
			if l.keys(strings.Trim(key, "`")); l.m.View().Content == before && l.cmd == nil {
				t.Errorf("%s has no effect", key)
			}
		}
	}
}
