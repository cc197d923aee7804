// Package screen draws the live terminal: the content of a frame, as lines of text for a terminal of a width and
// height. It is pure: it reads no terminal, no clock and no keys, and computes nothing beyond the frame. Colour never
// carries meaning alone.
package screen

import (
	"cmp"
	"iter"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// A State is everything that the drawing depends on.
type State struct {
	// Frame is the frame to show; nil: the screen is empty.
	Frame *frame.Frame
	// Past has the frames up to Frame, oldest first, or enough of them. Later ones are not drawn.
	Past iter.Seq[*frame.Frame]
	// Width and Height are the terminal's, in cells.
	Width, Height int
	Style         Style
	Choice        Choice
	// Play is the state of a replay; nil: the query is watched live.
	Play *Playback
	// Log is the newest log line; empty: none.
	Log string
	// Listed: the query is one of a list, to which Quit leads back.
	Listed bool
}

// A Style describes the terminal's abilities.
type Style struct {
	Colour bool // else no escape sequences are written
	Light  bool // dark text on a light background
	ASCII  bool // else UTF-8
	// Zone is the zone of all clocks; nil: UTC.
	Zone *time.Location
}

// in returns an instant in the zone of the clocks.
func (s Style) in(t time.Time) time.Time { return t.In(cmp.Or(s.Zone, time.UTC)) }

// clock formats an instant to a unit, with the day if that is not the day of at.
func (s Style) clock(t time.Time, at *frame.Time, unit time.Duration) string {
	return units.Clock(s.in(t), s.in(at.Time()), unit)
}

// A Choice is the user's choice of views. The zero Choice is the main screen.
type Choice struct {
	Help       bool
	HelpScroll int    // how many lines of the help are scrolled past
	Selected   string // node of a job; empty or unknown: none
	Tasks      bool   // the selected job's tasks are listed
	Scroll     int    // how many tasks are scrolled past
	Paused     bool
}

// IsMain reports whether nothing is open and no job is selected.
func (c Choice) IsMain() bool { return !c.Help && !c.Tasks && c.Selected == "" }

// MostMoves is how many moves of the predicted end are listed.
const MostMoves = 8

// A Playback is the position of the frame in a recording.
type Playback struct {
	Speed  float64       // a multiple of real time; 0: as fast as it can be computed
	At     frame.Seconds // since the recording's begin
	Length frame.Seconds // of the recording; 0: not known yet
}

// Draw returns at most Height lines, none wider than Width cells. It returns nil if the screen has no cells,
// or if nothing has been observed yet.
func Draw(s State) []string {
	if s.Width <= 0 || s.Height <= 0 || s.Frame == nil {
		return nil
	}
	p := &pen{State: s, f: s.Frame, selected: selected(s.Choice, s.Frame)}
	return render(s.Style, s.Width, s.Height, p.draw())
}

// A pen draws one state.
type pen struct {
	State
	f        *frame.Frame
	selected int // the selected job, -1: none
}

// ended reports whether the query has ended.
func (p *pen) ended() bool { return p.f.Workflow.State.Ended() }

// unsure reports whether too much of the future is assumed to draw it along a clock: the headline has no number.
func (p *pen) unsure() bool { return p.f.Headline.RemainingSeconds == nil && !p.ended() }

// elapsed returns the time from the first job's submission to the frame; 0 if unknown.
func (p *pen) elapsed() frame.Seconds { return p.f.Elapsed() }

// at returns the instant of a number of seconds since the first job's submission.
func (p *pen) at(s frame.Seconds) (time.Time, bool) {
	if p.f.At == nil || p.f.ElapsedSeconds == nil {
		return time.Time{}, false
	}
	at := p.f.At.Time()
	if p.ended() && p.f.Headline.EndAt != nil {
		at = p.f.Headline.EndAt.Time() // the elapsed time ends with the query, however long ago that was
	}
	return at.Add((s - *p.f.ElapsedSeconds).Duration()), true
}

// past returns the frames with news up to the drawn one.
func (p *pen) past() iter.Seq[*frame.Frame] {
	return func(yield func(*frame.Frame) bool) {
		if p.Past == nil {
			return
		}
		for f := range p.Past {
			if f.ElapsedSeconds != nil && f.StaleSeconds == 0 && *f.ElapsedSeconds <= p.elapsed() && !yield(f) {
				return
			}
		}
	}
}

// clock formats an instant to a unit, with the day if that is not the frame's.
func (p *pen) clock(t time.Time, unit time.Duration) string { return p.Style.clock(t, p.f.At, unit) }

// zoned is clock with the name of the zone, e.g. "CET".
func (p *pen) zoned(t time.Time, unit time.Duration) string {
	return p.clock(t, unit) + p.Style.in(t).Format(" MST")
}

// foreign makes a text from the cluster safe, and converts the times in it to the user's zone.
func (p *pen) foreign(s string) string {
	if p.f.At != nil {
		s = units.InZone(s, p.f.At.Time(), p.Style.Zone)
	}
	return p.Style.foreign(s)
}
