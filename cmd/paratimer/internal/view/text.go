package view

import (
	"io"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A status line comes when something has happened, when what it says has changed, and now and then while nothing does.
// One that says something new comes after a tenth of what remains, between often and seldom; one that repeats the last
// one, so that nobody wonders whether the watch is alive, after a tenth of what remains, between seldom and silent. All
// in the query's own time.
const (
	often  = 10 * time.Second
	seldom = time.Minute
	silent = 10 * time.Minute
)

// Text shows lines for people: what happens, and how it stands.
type Text struct {
	w        io.Writer
	colour   bool
	quiet    bool
	say      speech
	began    bool
	kind     string         // of the newest status line: none, floor, number, stale, over
	at       frame.Seconds  // elapsed seconds of the newest status line
	newest   frame.Seconds  // the time of the newest line of any kind
	printed  string         // what the newest status line said, but for how old its observation was
	waits    string         // what it waited for
	doubted  string         // what makes the range less sure, as last written
	headline frame.Headline // what remained, before it was rounded
	warned   map[dag.Warning]bool
	jobs     map[string]dag.State
	reported map[string]frame.AlertState // what was told of each bound
	skewed   map[string]reportedSkew     // what was told of each stage's skew
	zone     *time.Location              // of times of day; nil: UTC
	failed   int                         // how many failures were told of; quiet lines alone tell of them
}

// NewText writes to w, in colour if asked.
func NewText(w io.Writer, colour bool) *Text {
	return &Text{
		w: w, colour: colour, say: brief{}, warned: map[dag.Warning]bool{}, jobs: map[string]dag.State{},
		reported: map[string]frame.AlertState{}, skewed: map[string]reportedSkew{},
	}
}

// Plain has the lines made of words, for those who hear them: no colour, no symbols, no columns.
func (t *Text) Plain() *Text {
	t.colour, t.say = false, spoken{}
	return t
}

// Quiet has only that said which must be heard: alerts that fire and how they go on, failures, lost nodes, and the end.
func (t *Text) Quiet() *Text {
	t.quiet = true
	return t
}

// In has times of day in a zone.
func (t *Text) In(zone *time.Location) *Text {
	t.zone = zone
	return t
}

// Show writes what is new in the frame.
func (t *Text) Show(tick frame.Tick) error {
	f := tick.Frame
	var b strings.Builder
	if t.quiet {
		t.urgent(&b, f)
	} else {
		t.news(&b, f)
	}
	if b.Len() == 0 {
		return nil
	}
	beside := time.Time{}
	if f.At != nil {
		beside = f.At.Time()
	}
	_, err := io.WriteString(t.w, units.InZone(b.String(), beside, t.zone))
	return err
}

// news are the lines of a frame.
func (t *Text) news(b *strings.Builder, f frame.Frame) {
	first := !t.began
	if first {
		t.began = true
		b.WriteString(title(f))
	}
	began := b.Len()
	t.warnings(b, f, func(dag.Warning) bool { return true })
	for _, m := range f.Moves {
		line := t.say.moved(m.DeltaSeconds) + ": " + Escape(m.Why())
		if drift := m.Drift(); drift != "" {
			line += "; " + t.say.prose(drift)
		}
		t.line(b, f, line)
	}
	t.jobLines(b, f, func(dag.State) bool { return true })
	t.alertLines(b, f)
	skew := t.skewLines(f)
	t.status(b, f, first || b.Len() > began || len(skew) > 0)
	for _, line := range skew {
		t.line(b, f, line)
	}
}

// status says how the query stands, where that is due.
func (t *Text) status(b *strings.Builder, f frame.Frame, happened bool) {
	k, text := kind(f), t.standing(f)
	wait := pause(f, seldom, silent)
	if text != t.printed && (waitsFor(f) != t.waits || clearly(f.Headline, t.headline)) {
		wait = pause(f, often, seldom)
	}
	if !happened && k == t.kind && elapsed(f) < t.at+wait {
		return
	}
	said := t.printed != "" && waitsFor(f) == t.waits
	t.kind, t.at, t.printed, t.headline, t.waits = k, elapsed(f), text, f.Headline, waitsFor(f)
	if f.Workflow.State.Ended() {
		if rest := f.Replans.Text(); rest != "" {
			t.line(b, f, t.say.replans(rest))
		}
		b.WriteString(t.say.last(t.time(f), text) + "\n")
		return
	}
	if said {
		text = t.paint(bold, t.remains(f))
	}
	t.doubted = doubtOf(f.Headline)
	if f.StaleSeconds > 0 {
		text += t.say.joint() + t.paint(yellow, t.say.seen(f.StaleSeconds.Duration()))
	}
	t.line(b, f, text)
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

// pause is how long a reader is left without a line: a tenth of what remains, between least and most.
func pause(f frame.Frame, least, most time.Duration) frame.Seconds {
	left := 10 * seldom
	for _, s := range []*frame.Seconds{f.Headline.RemainingSeconds, f.Headline.LowSeconds} {
		if s != nil && *s >= 1 {
			left = s.Duration()
			break
		}
	}
	return frame.SecondsOf(min(max(left/10, least), most))
}

func (t *Text) line(b *strings.Builder, f frame.Frame, text string) {
	b.WriteString(t.say.line(t.time(f), text) + "\n")
}

// time is the time of a line. It does not go back: a run may have ended before it was last seen to run.
func (t *Text) time(f frame.Frame) *frame.Seconds {
	if f.ElapsedSeconds != nil {
		t.newest = max(t.newest, *f.ElapsedSeconds)
		return &t.newest
	}
	return nil
}

// standing is how the query stands, but for how old that is.
func (t *Text) standing(f frame.Frame) string {
	if f.Workflow.State.Ended() {
		return t.over(f)
	}
	parts := []string{t.paint(bold, t.remains(f))}
	if w := waitsFor(f); w != "" {
		parts = append(parts, w)
	}
	return strings.Join(parts, t.say.joint())
}

// remains is how much is left. What makes its range less sure stands there once, that it is a first run always.
func (t *Text) remains(f frame.Frame) string {
	s := shownOf(f.Headline)
	if s.doubt == t.doubted {
		s.doubt = ""
		if f.Headline.MoreRatio != nil {
			s.doubt = firstRun
		}
	}
	return t.say.remaining(s)
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
		after = " after " + t.say.prose(units.Elapsed(f.ElapsedSeconds.Duration()))
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

// Unconfirmed says why it is not known how a query ended: ended_unconfirmed.
func Unconfirmed(f frame.Frame) string {
	for _, j := range f.Jobs {
		if j.State == dag.EndedUnconfirmed {
			return "the end of a job was not reported"
		}
	}
	return "jobs of the query never came"
}

func title(f frame.Frame) string {
	name := "query"
	switch {
	case f.Workflow.Name != nil:
		name = Escape(*f.Workflow.Name)
	case f.Workflow.ID != nil:
		name = Escape(*f.Workflow.ID)
	}
	if f.IsWhole() {
		return name + ": " + Escape(f.Workflow.What()) + "\n"
	}
	return name + ": " + units.Count(len(f.Jobs), "job") + "\n"
}

func elapsed(f frame.Frame) frame.Seconds {
	if f.ElapsedSeconds == nil {
		return 0
	}
	return *f.ElapsedSeconds
}
