// Package ernestview shows what Ernest says: as text for people, as JSON for programs, as SVG. It computes nothing.
package ernestview

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// known is nil for what is not: NaN, and what JSON cannot say.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// length words seconds with three digits or two units: 0.25s, 13.5s, 4m12s, 3h5m, 12d4h.
func length(s float64) string {
	switch {
	case math.IsNaN(s):
		return "?"
	case s < 0:
		return "-" + length(-s)
	case s < 1e-6:
		return "0s"
	case s < 99.5:
		return fmt.Sprintf("%.3gs", s)
	case s < 3600:
		return strings.Replace(time.Duration(math.Round(s)*1e9).String(), "m0s", "m", 1)
	case s < 48*3600:
		h := math.Floor(math.Round(s/60) / 60)
		return fmt.Sprintf("%.0fh%.0fm", h, math.Round(s/60)-60*h)
	case s < 1e9:
		d := math.Floor(math.Round(s/3600) / 24)
		return fmt.Sprintf("%.0fd%.0fh", d, math.Round(s/3600)-24*d)
	}
	return fmt.Sprintf("%.3gs", s)
}

func span(low, high float64) string {
	if math.IsNaN(low) || math.IsNaN(high) {
		return "?"
	}
	return length(low) + " – " + length(high)
}

// percent words a ratio: 0.3 %, 4 %, 120 %.
func percent(ratio float64) string {
	switch {
	case math.IsNaN(ratio):
		return "?"
	case math.IsInf(ratio, 0):
		return "∞ %"
	case ratio == 0:
		return "0 %"
	case math.Abs(ratio) < 0.00095:
		return "<0.1 %"
	case math.Abs(ratio) < 0.0095:
		return fmt.Sprintf("%.1f %%", 100*ratio)
	}
	return fmt.Sprintf("%.0f %%", 100*ratio)
}

// number has four digits at most, and no exponent where that can be read.
func number(v float64) string {
	if math.IsNaN(v) {
		return "?"
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// encode writes JSON that people can read too, with <, > and & as they are.
func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(v)
}
