package whatifview

import (
	"testing"
	"time"
)

// An axis has at most eight steps, each a time that people count in.
func TestRowStep(t *testing.T) {
	for _, c := range []struct{ most, step time.Duration }{
		{1, 10 * time.Millisecond},
		{80 * time.Millisecond, 10 * time.Millisecond},
		{81 * time.Millisecond, 20 * time.Millisecond},
		{27 * time.Second, 5 * time.Second},
		{9*time.Minute + 24*time.Second, 2 * time.Minute},
		{85 * time.Minute, 15 * time.Minute},
		{100 * time.Hour, 24 * time.Hour},
		{10 * 365 * 24 * time.Hour, 512 * 24 * time.Hour},
	} {
		if got := rowStep(c.most); got != c.step {
			t.Errorf("up to %v: steps of %v, want %v", c.most, got, c.step)
		}
	}
}
