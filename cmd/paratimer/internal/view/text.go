package view

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A status line comes when something has happened, and from time to time while nothing does: a tenth of what remains,
// between these two, in the query's own time.
const (
	often  = 10 * time.Second
	seldom = time.Minute
)

// Text shows lines for people: what happens, and how it stands.
type Text struct {
	w      io.Writer
	colour bool
	began  bool
	kind   string        // of the newest status line: none, floor, number, stale, over
	at     frame.Seconds // elapsed seconds of the newest status line
	warned map[dag.Warning]bool
	jobs   map[string]dag.State
	shown  steady
	told   map[string]frame.AlertState // what was told of each bound
	skewed map[string]toldSkew         // what was told of each job's skew
}

// NewText writes to w, in colour if asked.
func NewText(w io.Writer, colour bool) *Text {
	return &Text{w: w, colour: colour, warned: map[dag.Warning]bool{}, jobs: map[string]dag.State{}, told: map[string]frame.AlertState{}, skewed: map[string]toldSkew{}}
}

// Show writes what is new in the frame.
func (t *Text) Show(f frame.Frame) error {
	var b strings.Builder
	first := !t.began
	if first {
		t.began = true
		b.WriteString(title(f))
	}
	began := b.Len()
	t.warnings(&b, f)
	for _, c := range f.Changes {
		// Where there is no number, its moves are no news; what was lost is.
		if f.Headline.RemainingSeconds != nil || c.Reason == "failure" || c.Reason == "slots" {
			t.line(&b, f, change(c))
		}
	}
	t.jobLines(&b, f)
	t.alertLines(&b, f)
	skew := t.skewLines(f)
	happened := first || b.Len() > began || len(skew) > 0
	if k := kind(f); happened || k != t.kind || elapsed(f) >= t.at+pause(f) {
		t.kind, t.at = k, elapsed(f)
		t.line(&b, f, t.status(f))
	}
	for _, line := range skew {
		t.line(&b, f, line)
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// kind is what a reader must not miss the change of.
func kind(f frame.Frame) string {
	switch {
	case f.Workflow.State.Ended():
		return "over"
	case f.StaleSeconds > 0:
		return "stale"
	case f.Headline.RemainingSeconds != nil:
		return "number"
	case f.Headline.LowSeconds != nil && *f.Headline.LowSeconds >= 1:
		return "floor"
	}
	return "none"
}

// pause is how long a reader is left without a line.
func pause(f frame.Frame) frame.Seconds {
	left := seldom
	for _, s := range []*frame.Seconds{f.Headline.RemainingSeconds, f.Headline.LowSeconds} {
		if s != nil && *s >= 1 {
			left = s.Duration() / 10
			break
		}
	}
	return frame.SecondsOf(min(max(left, often), seldom))
}

func (t *Text) line(b *strings.Builder, f frame.Frame, text string) {
	at := "?"
	if f.ElapsedSeconds != nil {
		at = clock(f.ElapsedSeconds.Duration())
	}
	fmt.Fprintf(b, "%8s  %s\n", at, text)
}

// status is the frame in one line.
func (t *Text) status(f frame.Frame) string {
	if f.Workflow.State.Ended() {
		return t.over(f)
	}
	parts := []string{t.paint(bold, t.shown.remaining(f.Headline))}
	if f.WaitingOn != nil {
		parts = append(parts, "waits for "+Escape(*f.WaitingOn))
	}
	if f.StaleSeconds > 0 {
		parts = append(parts, t.paint(yellow, "(seen "+Short(f.StaleSeconds.Duration())+" ago)"))
	}
	return strings.Join(parts, "  ")
}

func (t *Text) over(f frame.Frame) string {
	after := ""
	if f.ElapsedSeconds != nil {
		after = " after " + clock(f.ElapsedSeconds.Duration())
	}
	switch f.Workflow.State {
	case dag.Succeeded:
		return t.paint(green, "succeeded") + after
	case dag.EndedUnconfirmed:
		return t.paint(yellow, "ended, unconfirmed") + after + ": jobs of the query never came"
	default:
		return t.paint(red, f.Workflow.State.String()) + after
	}
}

func title(f frame.Frame) string {
	name := "query"
	switch {
	case f.Workflow.Name != nil:
		name = Escape(*f.Workflow.Name)
	case f.Workflow.ID != nil:
		name = Escape(*f.Workflow.ID)
	}
	return name + ": " + many(len(f.Jobs), "job") + "\n"
}

// many words a number of things: "1 job", "3 jobs".
func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func elapsed(f frame.Frame) frame.Seconds {
	if f.ElapsedSeconds == nil {
		return 0
	}
	return *f.ElapsedSeconds
}

// clock writes an elapsed time to the second: "1m52s".
func clock(d time.Duration) string {
	if d < time.Second {
		return "0s"
	}
	return Short(d.Truncate(time.Second))
}
