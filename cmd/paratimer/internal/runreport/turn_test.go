package runreport

import (
	"math"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// TestTurn holds what is said of the greatest move: of the whole of it, not of one of its causes, and across moments without a time.
func TestTurn(t *testing.T) {
	change := func(by float64, reason, subject string) frame.Change {
		return frame.Change{DeltaSeconds: frame.Seconds(by), Reason: reason, Subject: frame.Text(subject)}
	}
	lost := []Mark{{18, MarkNode, "node n was lost"}, {19, MarkAlert, "late"}}
	nan := math.NaN()
	for _, c := range []struct {
		frames []*frame.Frame
		marks  []Mark
		want   string
	}{
		{[]*frame.Frame{said(10, 100, 90, 110), said(20, 94, 80, 110)}, nil, ""}, // by less than is worth saying
		{[]*frame.Frame{said(10, 100, 90, 110), said(20, 120, 90, 190)}, nil, "The predicted end moved most after 20s, by +30s."},
		{[]*frame.Frame{said(10, 100, 90, 110), said(20, 120, 90, 190, change(30, "other", ""))}, nil, "The predicted end moved most after 20s, by +30s: for other reasons."},
		{[]*frame.Frame{said(10, 100, 90, 110), said(20, 120, 90, 190, change(30, "other", ""))}, lost, "The predicted end moved most after 20s, by +30s, 2s after this: node n was lost."},
		{[]*frame.Frame{said(10, 100, 90, 110), said(20, 60, 50, 90, change(-30, "other", ""))}, lost, "The predicted end moved most after 20s, by -30s: for other reasons."},
		{
			// Causes that go the other way, and small ones, are not why; what was said while there was no time counts.
			[]*frame.Frame{
				said(10, 100, 90, 110), said(15, nan, 90, nan, change(60, "failure", "8 tasks start again"), change(5, "speed", "a")),
				said(20, 200, 90, 300, change(-40, "speed", "b"), change(85, "other", "")), said(25, 195, 100, 200, change(90, "size", "c"), change(-90, "slots", "d")),
			}, lost, "The predicted end moved most after 20s, by +1m50s: 8 tasks start again; the rest for other reasons.",
		},
	} {
		var m memory
		for _, f := range c.frames {
			m.take(f)
		}
		if got := m.turn.summary(c.marks); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
