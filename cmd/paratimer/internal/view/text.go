package view

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
)

// heartbeat is how long a reader is left without a line while nothing changes, in the query's own time.
const heartbeat = watch.Seconds(60)

// Text shows lines for people: one when what is said changes, and one a minute while it does not.
type Text struct {
	w      io.Writer
	colour bool
	began  bool
	last   string        // what the newest line said, its time left out
	lastAt watch.Seconds // elapsed seconds of the newest line
	warned map[dag.Warning]bool
	jobs   map[string]dag.State
}

// NewText writes to w, in colour if asked.
func NewText(w io.Writer, colour bool) *Text {
	return &Text{w: w, colour: colour, warned: map[dag.Warning]bool{}, jobs: map[string]dag.State{}}
}

// Show writes what is new in the frame.
func (t *Text) Show(f watch.Frame) error {
	var b strings.Builder
	if !t.began {
		t.began = true
		b.WriteString(title(f))
	}
	for _, w := range f.Warnings {
		if !t.warned[w] && w.Code != dag.WarnStale {
			t.warned[w] = true
			t.line(&b, f, t.paint(yellow, "warning: ")+Escape(w.Text))
		}
	}
	for _, c := range f.Changes {
		t.line(&b, f, change(c))
	}
	for i := range f.Jobs {
		j := &f.Jobs[i]
		if j.State != t.jobs[j.Node] && j.State > dag.Submitted {
			t.line(&b, f, t.job(j))
		}
		t.jobs[j.Node] = j.State
	}
	now := t.say(f)
	if now != t.last || elapsed(f) >= t.lastAt+heartbeat {
		t.last, t.lastAt = now, elapsed(f)
		t.line(&b, f, now)
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

func (t *Text) line(b *strings.Builder, f watch.Frame, text string) {
	at := "?"
	if f.ElapsedSeconds != nil {
		at = clock(f.ElapsedSeconds.Duration())
	}
	fmt.Fprintf(b, "%8s  %s\n", at, text)
}

// say is the frame in one line.
func (t *Text) say(f watch.Frame) string {
	if f.Workflow.State.Ended() {
		return t.over(f)
	}
	parts := []string{t.paint(bold, Remaining(f.Headline))}
	if f.WaitingOn != nil {
		parts = append(parts, "waits for "+Escape(*f.WaitingOn))
	}
	if f.StaleSeconds > 0 {
		parts = append(parts, t.paint(yellow, "(seen "+short(f.StaleSeconds.Duration())+" ago)"))
	}
	return strings.Join(parts, "  ")
}

func (t *Text) over(f watch.Frame) string {
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

func (t *Text) job(j *watch.Job) string {
	s := "job " + Escape(j.Node)
	if j.ID != nil {
		s += " (" + Escape(*j.ID) + ")"
	}
	return s + " " + j.State.String() + counts(j)
}

func counts(j *watch.Job) string {
	if j.State != dag.Running || j.Maps.Total == nil || j.Reduces.Total == nil {
		return ""
	}
	return fmt.Sprintf(", %d maps, %d reduces", *j.Maps.Total, *j.Reduces.Total)
}

func change(c watch.Change) string {
	s := moved(c.DeltaSeconds) + ": "
	if c.Subject != nil {
		return s + Escape(*c.Subject)
	}
	return s + c.Reason
}

func title(f watch.Frame) string {
	name := "query"
	switch {
	case f.Workflow.Name != nil:
		name = Escape(*f.Workflow.Name)
	case f.Workflow.ID != nil:
		name = Escape(*f.Workflow.ID)
	}
	plural := "s"
	if len(f.Jobs) == 1 {
		plural = ""
	}
	return fmt.Sprintf("%s: %d job%s\n", name, len(f.Jobs), plural)
}

func elapsed(f watch.Frame) watch.Seconds {
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
	return short(d.Truncate(time.Second))
}
