package report

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
)

// A when is the figure of the remaining time of a running query: from now on, the 80 % range, the estimate in it, and
// the deadlines of its bounds.
type when struct {
	Summary, Desc string
	Ticks         []tick
	Low, Width    string
	Mid, Floor    string
	Bounds        []deadline
	If            string // how the time differs between scenarios
}

type deadline struct{ X, Name string }

func whenOf(s *runreport.Report) *when {
	h := &s.Headline
	if h.RemainingSeconds == nil && (h.LowSeconds == nil || *h.LowSeconds < 1 && h.HighSeconds == nil) {
		return nil
	}
	top := frame.Seconds(1)
	for _, v := range []*frame.Seconds{h.LowSeconds, h.RemainingSeconds, h.HighSeconds} {
		if v != nil {
			top = max(top, *v)
		}
	}
	w := &when{}
	for i := range s.Alerts {
		if in := untilOf(s, &s.Alerts[i]); in != nil && *in > 0 && *in < 4*top {
			top = max(top, *in)
		}
	}
	along := scale{0, top * 1.08}
	w.Ticks = along.ticks(7)
	w.Ticks[0].Text = "now"
	switch {
	case h.RemainingSeconds == nil && h.HighSeconds != nil:
		w.Low, w.Width = along.x(*h.LowSeconds), along.width(*h.LowSeconds, *h.HighSeconds)
		w.Summary = "Time left: " + view.Remaining(*h) +
			". In four of five cases it ends within the range; too much is assumed to name one time."
	case h.RemainingSeconds == nil:
		w.Floor = along.x(*h.LowSeconds)
		w.Summary = "Time left: " + view.Remaining(*h) + ". Too much is assumed to say when it ends."
	case h.LowSeconds != nil && h.HighSeconds != nil:
		w.Low, w.Width = along.x(*h.LowSeconds), along.width(*h.LowSeconds, *h.HighSeconds)
		w.Summary = "Time left: " + view.Remaining(*h) + ". In four of five cases it ends within the range."
	default:
		w.Summary = "Time left: " + view.Remaining(*h) + ". How sure that is, nobody can say yet."
	}
	if h.RemainingSeconds != nil {
		w.Mid = along.x(*h.RemainingSeconds)
	}
	for i := range s.Alerts {
		if in := untilOf(s, &s.Alerts[i]); in != nil && *in > 0 && *in <= along.to {
			w.Bounds = append(w.Bounds, deadline{along.x(*in), text(s.Alerts[i].Bound)})
		}
	}
	w.If = prose(leftIf(s))
	w.Desc = "From now to the right: the 80 % range of the remaining time, and deadlines."
	return w
}

// leftIf returns how the remaining time differs between scenarios, by the last point of the prediction history.
func leftIf(s *runreport.Report) string {
	n := len(s.PredictionHistory.Points)
	if n == 0 || s.Headline.RemainingSeconds == nil {
		return ""
	}
	last := &s.PredictionHistory.Points[n-1]
	cases := []view.Case{{Scenario: "standard", Left: view.Left(*s.Headline.RemainingSeconds, s.Headline)}}
	for _, p := range last.Scenarios {
		if p.TotalSeconds != nil {
			cases = append(cases, view.Case{
				Scenario: p.Scenario, Left: view.Left(max(*p.TotalSeconds-last.AtSeconds, 0), s.Headline),
			})
		}
	}
	return view.LeftIf(cases)
}

// untilOf returns the time until a bound's deadline; nil if unknown.
func untilOf(s *runreport.Report, a *frame.Alert) *frame.Seconds {
	if a.DeadlineAt == nil || s.At == nil {
		return nil
	}
	return frame.Since(a.DeadlineAt.Instant, s.At.Instant)
}
