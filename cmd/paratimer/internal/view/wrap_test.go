package view

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func TestWrapped(t *testing.T) {
	t.Parallel()
	long, under := strings.Repeat("x", 85), "\n          "
	for _, c := range []struct{ text, want string }{
		{"short", "short"},
		{long + " three four", long + under + "three four"},
		{long + " \x1b[31mone\x1b[0m four", long + " \x1b[31mone\x1b[0m" + under + "four"},
		{"head\n  a reason", "head" + under + "  a reason"},
		{long + " scope-35", long + under + "scope-35"},
		{long + long, long + "xxxxx" + under + long[5:]},
	} {
		if got := wrapped(c.text); got != c.want {
			t.Errorf("wrapped(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// TestWrappedIsNarrow checks that no line is wider than its limit, and that only spaces are lost.
func TestWrappedIsNarrow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`( ?[a-zäö-]{0,60}(\x1b\[31m)? ?){0,12}`).Draw(t, "text")
		got := strings.Repeat(" ", indent) + wrapped(text)
		for line := range strings.SplitSeq(got, "\n") {
			if n := ansi.StringWidth(strings.TrimRight(line, " ")); n > columns {
				t.Fatalf("%q is %d wide", line, n)
			}
		}
		if strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(text), "") {
			t.Fatalf("%q lost something of %q", got, text)
		}
	})
}
