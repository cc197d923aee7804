package textkey

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func shown(key string) string { return Name([]byte(key), true) }

func TestNames(t *testing.T) {
	// The SHA-256 of "abc" is an example of FIPS 180-2.
	if got := HashedName([]byte("abc")); got != "#ba7816bf8f01cfea" {
		t.Errorf("hashed: %s", got)
	}
	for key, want := range map[string]string{
		"":                      `\empty`,
		"user 42":               "user 42",
		`\empty`:                `\\empty`,
		"\x1b[2J":               `\x1b[2J`,
		"a\tb\n":                `a\tb\n`,
		"\xff\xfe":              `\xff\xfe`,
		"日本語":                   "日本語",
		"a\u202eb":              `a\u202eb`,
		strings.Repeat("k", 64): strings.Repeat("k", 64),
		strings.Repeat("k", 65): strings.Repeat("k", 46) + "~" + HashedName([]byte(strings.Repeat("k", 65))),
		strings.Repeat("語", 22): strings.Repeat("語", 15) + "~" + HashedName([]byte(strings.Repeat("語", 22))),
	} {
		got := shown(key)
		if got != want {
			t.Errorf("%q: %s, not %s", key, got, want)
		}
	}
}

func FuzzName(f *testing.F) {
	for _, key := range []string{
		"", "user 42", "\x1b[2J", "\xff", `\`, strings.Repeat("\x00", 100), "a\u202e\ufeff",
		strings.Repeat("é", 40),
	} {
		f.Add([]byte(key), []byte(key+"x"))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		x, y := shown(string(a)), shown(string(b))
		for _, name := range []string{x, y, HashedName(a)} {
			bad := func(r rune) bool { return !strconv.IsPrint(r) }
			if name == "" || len(name) > MaxName || strings.ContainsFunc(name, bad) || !utf8.ValidString(name) {
				t.Fatalf("%q is not 1 to %d bytes of printable text", name, MaxName)
			}
		}
		if (x == y) != (string(a) == string(b)) {
			t.Fatalf("%q and %q are called %q and %q", a, b, x, y)
		}
	})
}
