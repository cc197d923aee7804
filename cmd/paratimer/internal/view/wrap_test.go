package view

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWrapped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"short", "short"},
		{"  12s  one two three four", "  12s  one two\n    three four"},
		{"  12s  \x1b[31mone two\x1b[0m three", "  12s  \x1b[31mone two\x1b[0m\n    three"},
		{"head\n        a reason that is long", "head\n        a\n    reason that\n    is long"},
		{"0123456789abcdefghij", "0123456789abcde\n    fghij"},
	} {
		if got := wrapped(c.text, 15, "    "); got != c.want {
			t.Errorf("wrapped(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// TestWrappedIsNarrow holds that no line is wider than asked, and that nothing but spaces is lost.
func TestWrappedIsNarrow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`( ?[a-zäö]{0,30}(\x1b\[31m)? ?){0,12}`).Draw(t, "text")
		got := wrapped(text, 20, "   ")
		for line := range strings.SplitSeq(got, "\n") {
			if width(line) > 20 && width(strings.TrimRight(line, " ")) > 20 {
				t.Fatalf("%q is %d wide", line, width(line))
			}
		}
		if strings.Join(strings.Fields(got), "") != strings.Join(strings.Fields(text), "") {
			t.Fatalf("%q lost something of %q", got, text)
		}
	})
}
