package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A status line comes when something has happened, when its text has changed, and at times to show that the watch is
// alive. A changed line comes after a tenth of the remaining time, between often and seldom; a repeated line after a
// tenth of it, between seldom and silent. All times are the query's own.
const (
	often  = 10 * time.Second
	seldom = time.Minute
	silent = 10 * time.Minute
)

// Text writes lines for people: events and the query's state.
type Text struct {
	Quiet bool           // alerts that fire and their changes, failures, lost nodes and the end alone
	Plain bool           // for screen readers: no colour, no symbols, no columns
	ASCII bool           // replaces what is not ASCII, for terminals and files of another locale
	Zone  *time.Location // of times of day; nil: UTC

	w        io.Writer
	colour   bool
	began    bool
	kind     string         // of the newest status line: none, floor, number, stale, over
	at       frame.Seconds  // elapsed seconds of the newest status line
	newest   frame.Seconds  // the time of the newest line of any kind
	printed  string         // the newest status line, without the age of its observation
	waits    string         // what that line waited for
	doubted  string         // what makes the range less sure, as last written
	headline frame.Headline // the headline of that line, before rounding
	warned   map[dag.Warning]bool
	jobs     map[string]dag.State
	reported map[string]frame.AlertState // the last state written for each bound
	skewed   map[string]reportedSkew     // the last skew written for each stage
	failed   int                         // how many failures were written; used by quiet lines alone
}

// NewText returns a Text that writes to w, in colour if colour is set.
func NewText(w io.Writer, colour bool) *Text {
	return &Text{
		w: w, colour: colour, warned: map[dag.Warning]bool{}, jobs: map[string]dag.State{},
		reported: map[string]frame.AlertState{}, skewed: map[string]reportedSkew{},
	}
}

// Show writes the news of the frame.
func (t *Text) Show(tick frame.Tick) error {
	f := tick.Frame
	var b strings.Builder
	t.news(&b, f)
	if b.Len() == 0 {
		return nil
	}
	text := units.InZone(b.String(), f.At.Time(), t.Zone)
	if t.ASCII {
		text = ASCII(text)
	}
	_, err := io.WriteString(t.w, text)
	return err
}

// news writes the lines of a frame.
func (t *Text) news(b *strings.Builder, f frame.Frame) {
	first := !t.began
	t.began = true
	if first && !t.Quiet {
		what := units.Count(len(f.Jobs), "job")
		if f.IsWhole() {
			what = Escape(f.Workflow.What())
		}
		b.WriteString(Escape(cmp.Or(f.Workflow.Label(), "query")) + ": " + what + "\n")
	}
	began := b.Len()
	t.warnings(b, f)
	if t.Quiet {
		t.failures(b, f)
	} else {
		t.moves(b, f)
	}
	t.jobLines(b, f)
	t.alertLines(b, f)
	switch ended := f.Workflow.State.Ended(); {
	case !t.Quiet:
		skew := t.skewLines(f)
		t.status(b, f, first || b.Len() > began || len(skew) > 0)
		for _, line := range skew {
			t.line(b, f, line)
		}
	case ended && t.kind != over:
		t.kind = over
		t.last(b, f)
	}
}

// status writes the state of the query, if that is due.
func (t *Text) status(b *strings.Builder, f frame.Frame, happened bool) {
	k, text := kind(f), t.joined([]string{t.remains(f), waitsFor(f)})
	if k == over {
		text = t.over(f)
	}
	wait := pause(f, seldom, silent)
	if text != t.printed && (waitsFor(f) != t.waits || clearly(f.Headline, t.headline)) {
		wait = pause(f, often, seldom)
	}
	if !happened && k == t.kind && f.Elapsed() < t.at+wait {
		return
	}
	said := t.printed != "" && waitsFor(f) == t.waits
	t.kind, t.at, t.printed, t.headline, t.waits = k, f.Elapsed(), text, f.Headline, waitsFor(f)
	if f.Workflow.State.Ended() {
		if rest := f.Replans.Text(); rest != "" {
			t.line(b, f, rest)
		}
		t.last(b, f)
		return
	}
	parts := []string{t.paint(bold, t.remains(f)), t.progress(f)}
	if !said {
		parts = append(parts, waitsFor(f))
	}
	t.doubted = doubtOf(f.Headline)
	if f.StaleSeconds > 0 {
		seen := "seen " + units.Ago(f.StaleSeconds.Duration())
		if !t.Plain {
			seen = "(" + seen + ")"
		}
		parts = append(parts, t.paint(yellow, seen))
	}
	t.line(b, f, t.joined(parts))
}

// progress counts the tasks of the first running stage on the critical path: "j2 maps 12/17"; "" if none runs.
func (t *Text) progress(f frame.Frame) string {
	format := "%s %d/%d"
	if t.Plain {
		format = "%s %d of %d"
	}
	for _, j := range f.Jobs {
		for _, s := range j.Stages {
			if !j.Critical || s.Running == 0 || s.Total == nil {
				continue
			}
			what := Escape(s.Name)
			switch {
			case j.IsMapReduce():
				what = Escape(j.Node) + " " + s.Name + "s"
			case strings.Contains(f.WaitsFor(), s.Name): // the line names it
				what = "tasks"
			}
			return fmt.Sprintf(format, what, s.Done, *s.Total)
		}
	}
	return ""
}

// joined joins the parts of a status line that are not empty.
func (t *Text) joined(parts []string) string {
	joint := "  "
	if t.Plain {
		joint = ", "
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), joint)
}

// over is the kind of the last line.
const over = "over"

// briefly is how long observations may be missed before a line is written only for that.
const briefly = 10 * time.Second

// kind classes status lines: a change of the class is written at once.
func kind(f frame.Frame) string {
	switch {
	case f.Workflow.State.Ended():
		return over
	case f.StaleSeconds.Duration() >= briefly:
		return "stale"
	case f.Headline.RemainingSeconds != nil:
		return "number"
	case f.Headline.LowSeconds != nil && *f.Headline.LowSeconds >= 1:
		return "floor"
	}
	return "none"
}

// pause returns the longest time without a line: a tenth of the remaining time, between least and most.
func pause(f frame.Frame, least, most time.Duration) frame.Seconds {
	left := 10 * seldom
	if s := cmp.Or(f.Headline.RemainingSeconds, f.Headline.LowSeconds); s != nil && *s >= 1 {
		left = s.Duration()
	}
	return frame.SecondsOf(min(max(left/10, least), most))
}

// line writes a line with its time: in a column before the text, or in words.
func (t *Text) line(b *strings.Builder, f frame.Frame, text string) {
	when := "?"
	if f.ElapsedSeconds != nil {
		t.newest = max(t.newest, *f.ElapsedSeconds) // a run may have ended before it was last seen running
		when = units.Elapsed(t.newest.Duration())
	}
	if t.Plain {
		text = spellOut("after " + when + ": " + text)
	} else {
		text = fmt.Sprintf("%8s  %s", when, wrapped(text))
	}
	b.WriteString(text + "\n")
}

// last writes how the query ended. In plain text the time is not repeated before it.
func (t *Text) last(b *strings.Builder, f frame.Frame) {
	if t.Plain {
		b.WriteString(spellOut(t.over(f)) + "\n")
		return
	}
	t.line(b, f, t.over(f))
}

// columns is the width of a line for people, and indent the part of it before the text.
const (
	columns = 100
	indent  = 10
)

// unbroken keeps names with hyphens whole: ansi.Wrap would break lines there.
var unbroken, broken = strings.NewReplacer("-", "\u2011"), strings.NewReplacer("\u2011", "-")

// wrapped breaks a text into lines below each other.
func wrapped(text string) string {
	text = broken.Replace(ansi.Wrap(unbroken.Replace(text), columns-indent, ""))
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", indent))
}

// remains returns the time left. The doubt of its range is written once, but "first run" always.
func (t *Text) remains(f frame.Frame) string {
	s := shownOf(f.Headline)
	if s.doubt == t.doubted {
		s.doubt = ""
		if f.Headline.MoreRatio != nil {
			s.doubt = firstRun
		}
	}
	if t.Plain {
		return s.spoken()
	}
	return s.String()
}

func waitsFor(f frame.Frame) string {
	if w := f.WaitsFor(); w != "" {
		return "waits for " + Escape(w)
	}
	return ""
}

func (t *Text) over(f frame.Frame) string {
	after := ""
	if f.ElapsedSeconds != nil {
		after = " after " + units.Elapsed(f.ElapsedSeconds.Duration())
	}
	switch f.Workflow.State {
	case dag.Succeeded:
		return t.paint(green, "succeeded") + after
	case dag.EndedUnconfirmed:
		return t.paint(yellow, "ended, unconfirmed") + after + ": " + Unconfirmed(f)
	default:
		return t.paint(red, f.Workflow.State.String()) + after
	}
}

// Unconfirmed explains why the state of a query is ended_unconfirmed.
func Unconfirmed(f frame.Frame) string {
	for _, j := range f.Jobs {
		if j.State == dag.EndedUnconfirmed {
			return "the end of a job was not reported"
		}
	}
	return "jobs of the query were never submitted"
}
