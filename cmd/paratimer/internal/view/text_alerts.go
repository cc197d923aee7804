package view

import (
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// shortBlindness is how long a bound may be blind before a line tells of it: the status line says that already.
const shortBlindness = 30 * time.Second

// alertLines tells which bounds stand otherwise than was told.
func (t *Text) alertLines(b *strings.Builder, f frame.Frame) {
	for _, a := range f.Alerts {
		reported, any := t.reported[a.Bound]
		if !any {
			reported = frame.OnTrack
		}
		if a.State == reported || a.State == frame.Blind && (t.quiet || f.StaleSeconds.Duration() < shortBlindness) {
			continue
		}
		// What nobody asked for is told of where it fires, and how that went on.
		if a.Quiet && !any && !a.State.Firing() {
			continue
		}
		t.reported[a.Bound] = a.State
		t.line(b, f, t.alert(a))
	}
}

// alert is a bound's text, in the colour of how bad that is.
func (t *Text) alert(a frame.Alert) string {
	colour := green
	switch {
	case a.State == frame.Late, a.Outcome != nil && *a.Outcome == frame.Missed:
		colour = red
	case a.State == frame.AtRisk, a.State == frame.Blind, a.State == frame.Ended && a.Outcome == nil:
		colour = yellow
	}
	// The first part and those on time are ours. Others name what comes from the cluster, and begin with a length of
	// ours at most.
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
