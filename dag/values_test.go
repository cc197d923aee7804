package dag

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", MaxText/2)
	for s, want := range map[string]string{
		"":                      "",
		"a\nb\tc\r\x00":         `a\nb\tc\r\x00`,
		"\x1b[31mred\x07":       `\x1b[31mred\a`,
		"\u009b31mred\x7f":      `\u009b31mred\x7f`,
		"gpj.\u202egif":         `gpj.\u202egif`,
		"\u2066a\u2069\u200f":   `\u2066a\u2069\u200f`,
		"\u061ca\u200e":         `\u061ca\u200e`,
		"a\u2028b\u2029c":       `a\u2028b\u2029c`,
		"a\ufeffb\u2060c\u00ad": `a\ufeffb\u2060c\u00ad`,
		"tag \U000E0041":        `tag \U000e0041`,
		"none \uffff":           `none \uffff`,
		"etl\u3164\uffa0\u115f": `etl\u3164\uffa0\u115f`,
		"\xff\xc3":              `\xff\xc3`,
		"\\x1b is text":         `\x1b is text`,
		long:                    long,
		long + "a":              long[:MaxText-4] + "…",
	} {
		if got := Clean(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// TestCleanLeavesNames checks that names of ordinary languages stay as they are.
func TestCleanLeavesNames(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"/user/ana/skew.pig", "Größe & Maß", "Ελληνικά", "Отчёт №5", "日次集計 売上", "매출 집계", "תקציב שנתי", "تقرير المبيعات",
		"گزارش\u200cها",
		"क्ष\u200dत्रिय", "รายงาน", "ខ្មែរ\u200bភាសា", "báo cáo", "👩\u200d👩\u200d👧", "non-breaking\u00a0space",
		"\ufffd", "\u0600١٢",
	} {
		if got := Clean(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestCleanAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()),
			func(b []byte) string { return string(b) }),
			rapid.SampledFrom([]string{
				strings.Repeat("\u202e", MaxText/6), strings.Repeat("é", MaxText/2-3), "\x1b",
				"\xff",
			}))
		s := strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "pieces"), "")
		c := Clean(s)
		switch {
		case !utf8.ValidString(c), len(c) > MaxText, strings.ContainsFunc(c, unicode.IsControl), strings.ContainsFunc(c,
			func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }):
			t.Fatalf("%q became %q", s, c)
		case Clean(c) != c:
			t.Fatalf("%q became %q, and then %q", s, c, Clean(c))
		}
	})
}
