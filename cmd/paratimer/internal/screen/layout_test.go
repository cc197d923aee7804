package screen

import (
	"strings"
	"testing"
)

// TestWhatIsDroppedFirst checks that from ten lines on when, what for, how it stands, what went wrong and the lanes are
// on the screen, and that more lines never show less.
func TestWhatIsDroppedFirst(t *testing.T) {
	s := recorded(t, "failure", 70)
	shown := func(h int) map[string]bool {
		s.Height = h
		all := strings.Join(Draw(s), "\n")
		has := map[string]bool{}
		for _, w := range []string{
			"Ends ~", "Waits for", "AT RISK", "1 attempt failed", "scope-30", "scope-39",
			"scope-48", "80% range", "warnings", "changed", "predicted", "maps  ", "left if", "help",
		} {
			has[w] = strings.Contains(all, w)
		}
		return has
	}
	for _, w := range []string{
		"Ends ~", "Waits for", "AT RISK", "1 attempt failed", "scope-30", "scope-39", "scope-48",
		"help",
	} {
		if !shown(10)[w] {
			t.Errorf("ten lines do not show %q", w)
		}
	}
	before := shown(10)
	for h := 11; h <= 60; h++ {
		now := shown(h)
		for w := range before {
			if before[w] && !now[w] {
				t.Errorf("%q is gone at %d lines", w, h)
			}
		}
		before = now
	}
	for w, has := range before {
		if !has {
			t.Errorf("sixty lines do not show %q", w)
		}
	}
}

// TestTheCrowdFolds checks that of a thousand jobs what matters has a row at any height, and that the others are
// counted.
func TestTheCrowdFolds(t *testing.T) {
	for _, h := range []int{14, 24, 50} {
		s := crowd()
		s.Height, s.Choice.Selected = h, "j0123"
		all := strings.Join(Draw(s), "\n")
		for _, w := range []string{"j0123", "j0605", "599 more done", "more running", "to come"} {
			if !strings.Contains(all, w) {
				t.Errorf("%d lines do not show %q:\n%s", h, w, all)
			}
		}
	}
}

// BenchmarkDraw draws a thousand jobs on 200 by 50 cells, and reports how many bytes that is in color.
func BenchmarkDraw(b *testing.B) {
	s := crowd()
	s.Width, s.Height, s.Style.Colour = 200, 50, true
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n = len(strings.Join(Draw(s), "\n"))
	}
	b.ReportMetric(float64(n), "bytes/screen")
}
