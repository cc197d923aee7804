package view

import (
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// shortBlindness is how long a bound may be blind before a line is written: the status line already shows it.
const shortBlindness = 30 * time.Second

// alertLines writes the bounds with a state other than the last one written.
func (t *Text) alertLines(b *strings.Builder, f frame.Frame) {
	for _, a := range f.Alerts {
		reported, any := t.reported[a.Bound]
		if !any {
			reported = frame.OnTrack
		}
		if a.State == reported || a.State == frame.Blind && (t.quiet || f.StaleSeconds.Duration() < shortBlindness) {
			continue
		}
		// A default alert is written once it fires, and its changes after that.
		if a.Quiet && !any && !a.State.Firing() {
			continue
		}
		t.reported[a.Bound] = a.State
		t.line(b, f, t.alert(a))
	}
}

// alert returns a bound's text, in the colour of its severity.
func (t *Text) alert(a frame.Alert) string {
	colour := green
	switch {
	case a.State == frame.Late, a.Outcome != nil && *a.Outcome == frame.Missed:
		colour = red
	case a.State == frame.AtRisk, a.State == frame.Blind, a.State == frame.Ended && a.Outcome == nil:
		colour = yellow
	}
	// The first part and those about time are the program's own. Others name something from the cluster, with at most
	// a length of time of ours before it.
	parts := strings.Split(Escape(a.Text), "; ")
	for i, part := range parts {
		ours, theirs := part, ""
		if i > 0 && !strings.HasPrefix(part, "expected ") && !strings.HasPrefix(part, "since ") {
			ours, theirs, _ = strings.Cut(part, " ")
			theirs = " " + theirs
		}
		parts[i] = t.say.prose(ours) + theirs
	}
	head, rest, found := strings.Cut(t.say.reasons(parts), ":")
	if !found {
		return t.paint(colour, head)
	}
	return t.paint(colour, head+":") + rest
}
