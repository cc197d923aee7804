package plugin

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// Print writes a verdict: the first line with performance data after a bar, then further lines.
func (v Verdict) Print(w io.Writer) error {
	line := "PARATIMER " + v.State.String() + " - " + clean(v.Text)
	if len(v.Perf) > 0 {
		line += " | " + strings.Join(v.Perf, " ")
	}
	for _, l := range v.Long {
		line += "\n" + clean(l)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// clean keeps a text on its line. It replaces the bar, which would begin performance data.
func clean(s string) string { return strings.ReplaceAll(view.Escape(s), "|", "¦") }

// perf formats a frame's numbers as performance data: 'label'=value[UOM];warn;crit;min;max. Unknown values are U.
func perf(f frame.Frame, l Limits) []string {
	h := f.Headline
	out := []string{datum("remaining", amount(h.RemainingSeconds), l.Remaining, "0", "")}
	for _, q := range f.Quantiles {
		if q.Q == 0.1 || q.Q == 0.5 || q.Q == 0.9 {
			out = append(out, datum("p"+units.Digits(q.Q*100), amount(&q.RemainingSeconds), Thresholds{}, "0", ""))
		}
	}
	if f.ElapsedSeconds != nil {
		out = append(out, datum("elapsed", amount(f.ElapsedSeconds), Thresholds{}, "0", ""))
	}
	progress := "U"
	if f.ProgressRatio != nil {
		progress = units.Digits(percent(*f.ProgressRatio)) + "%"
	}
	out = append(out, datum("progress", progress, Thresholds{}, "0", "100"))
	for _, a := range f.Alerts {
		switch {
		case a.Probability != nil:
			out = append(out, datum("late "+a.Bound, units.Digits(percent(*a.Probability))+"%", l.Late, "0", "100"))
		case a.DeadlineAt != nil:
			out = append(out, datum("late "+a.Bound, "U", l.Late, "0", "100"))
		}
	}
	return out
}

func datum(label, value string, t Thresholds, least, most string) string {
	label = strings.NewReplacer("'", "", "=", "_", "|", "_").Replace(view.Escape(label))
	return strings.TrimRight(fmt.Sprintf("'%s'=%s;%s;%s;%s;%s", label, value, t.Warning, t.Critical, least, most), ";")
}

func amount(s *frame.Seconds) string {
	if s == nil {
		return "U"
	}
	return units.Digits(float64(*s)) + "s"
}

// percent returns a ratio in percent, rounded to 0.0001: a ratio has no more digits.
func percent(r frame.Ratio) float64 { return math.Round(float64(r)*1e6) / 1e4 }
