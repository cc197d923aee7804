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

// name makes a text from the cluster safe to use in a sentence.
func name(s string) string { return view.Escape(s) }

// sum adds two lengths of time; nil if one is unknown.
func sum(a, b *frame.Seconds) *frame.Seconds {
	if a == nil || b == nil {
		return nil
	}
	s := frame.SecondsOf(a.Duration() + b.Duration())
	return &s
}

// quantile returns a quantile of the remaining time; nil if the frame lacks it.
func quantile(f *frame.Frame, q float64) *frame.Seconds {
	for i := range f.Quantiles {
		if f.Quantiles[i].Q == q {
			return &f.Quantiles[i].RemainingSeconds
		}
	}
	return nil
}

// number returns NaN for unknown.
func number(s *frame.Seconds) float64 {
	if s == nil {
		return math.NaN()
	}
	return float64(*s)
}
