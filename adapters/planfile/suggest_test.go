package planfile

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"attach", "estimate", "every", "rm", "score"}
	for word, want := range map[string]string{
		"atach": "attach", "attahc": "attach", "evry": "every", "rmm": "rm", "scoer": "score",
		"nonsense": "", "": "", "x": "", strings.Repeat("attach", 1000): "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%.20q) = %q, want %q", word, got, want)
		}
	}
}
