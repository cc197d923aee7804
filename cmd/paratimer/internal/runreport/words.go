package runreport

import (
	"math"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// list joins words: "a", "a and b", "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// name makes a text of the cluster safe to stand in a sentence.
func name(s string) string { return view.Escape(s) }

// sum adds lengths of time to the millisecond; nil where one is not known.
func sum(a, b *frame.Seconds) *frame.Seconds {
	if a == nil || b == nil {
		return nil
	}
	s := frame.SecondsOf(a.Duration() + b.Duration())
	return &s
}

// quantile is one of a frame's quantiles of the remaining time; nil where it has none.
func quantile(f *frame.Frame, q float64) *frame.Seconds {
	for i := range f.Quantiles {
		if f.Quantiles[i].Q == q {
			return &f.Quantiles[i].RemainingSeconds
		}
	}
	return nil
}

// number is NaN of what is not known.
func number(s *frame.Seconds) float64 {
	if s == nil {
		return math.NaN()
	}
	return float64(*s)
}
