package chart

import (
	"testing"
)

// TestPut checks that no text leaves its element, and that lengths are short.
func TestPut(t *testing.T) {
	s := &svg{}
	s.put(`<text x="%s">%s</text>`, 12.5, "</text><script>\x1b[31m\uFFFE&")
	if want := `<text x="12.5">&lt;/text&gt;&lt;script&gt;\x1b[31m\ufffe&amp;</text>`; s.String() != want {
		t.Errorf("%q instead of %q", s.String(), want)
	}
}

func TestShort(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 100: "100", 1.5: "1.5", 1.256: "1.26", -0.25: "-0.25"} {
		if got := short(x, 2); got != want {
			t.Errorf("%v is %q instead of %q", x, got, want)
		}
	}
}
