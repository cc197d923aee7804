package story

import (
	"fmt"
	"math"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// took words a length of time.
func took(s frame.Seconds) string { return view.Exact(s.Duration()) }

// percent words a ratio: never 0 % of something, never 100 % of a part.
func percent(r float64) string {
	switch n := math.Round(100 * r); {
	case n == 0 && r > 0:
		return "less than 1 %"
	case n == 100 && r < 1:
		return "more than 99 %"
	default:
		return fmt.Sprintf("%.0f %%", n)
	}
}

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

// finite is nil of what JSON has no number for; the rest is rounded to a thousandth.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	v = math.Round(v*1000) / 1000
	return &v
}
