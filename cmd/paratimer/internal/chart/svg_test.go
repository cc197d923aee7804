package chart

import (
	"strings"
	"testing"
)

// TestDraw holds that no text leaves its element, and that lengths are short.
func TestDraw(t *testing.T) {
	var out strings.Builder
	d := Parse(`<text x="{{px .X}}">{{text .Text}}</text>`)
	if err := d.Draw(&out, struct {
		X    float64
		Text string
	}{12.5, "</text><script>\x1b[31m\uFFFE&"}); err != nil {
		t.Fatal(err)
	}
	if want := "<text x=\"12.5\">&lt;/text&gt;&lt;script&gt;\uFFFD[31m\uFFFD&amp;</text>"; out.String() != want {
		t.Errorf("%q instead of %q", out.String(), want)
	}
	before := out.Len()
	if err := d.Draw(&out, struct{ X float64 }{}); err == nil || out.Len() != before {
		t.Errorf("a template without all its data: %v, %d bytes more", err, out.Len()-before)
	}
}

func TestPx(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 100: "100", 1.5: "1.5", 1.256: "1.26", -0.25: "-0.25"} {
		if got := Px(x); got != want {
			t.Errorf("%v is %q instead of %q", x, got, want)
		}
	}
}
