package input

import "testing"

func TestOneLine(t *testing.T) {
	for s, want := range map[string]string{
		"":                           "",
		" \n two \r\nthree":          "two ",
		"an \x1b[31mescape\x07":      "an [31mescape",
		"häuser":                     "häuser",
		"an Umlaut at the end: ä":    "an Umlaut at the end: ä",
		"an Umlaut after the end: ä": "an Umlaut after the end…",
		"not UTF-8: \xff\x80":        "not UTF-8: \ufffd\ufffd",
	} {
		if got := OneLine(s, 23); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
