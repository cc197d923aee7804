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
	// Frame is the frame to show; nil: nothing has been observed yet.
	Frame *frame.Frame
	// Past has the frames up to Frame, oldest first, or enough of them. Later ones are not drawn.
	Past iter.Seq[*frame.Frame]
	// Width and Height are the terminal's, in cells.
	Width, Height int
	Style         Style
	Choice        Choice
	// Play is the state of a replay; nil: the query is watched live.
	Play *Playback
	// Subject names the query or file, shown while there is no frame.
	Subject string
	// Log is the newest log line; empty: none.
	Log string
}

// A Style is what the terminal supports.
type Style struct {
	Colour bool // else no escape sequences are written
	Light  bool // dark text on a light background
	ASCII  bool // else UTF-8
	// Zone is the zone of all clocks; nil: UTC.
	Zone *time.Location
}

// zone returns the zone of the clocks.
func (s Style) zone() *time.Location { return cmp.Or(s.Zone, time.UTC) }

// clock formats an instant to a unit, with the day if that is not the day of at.
func (s Style) clock(t time.Time, at *frame.Time, unit time.Duration) string {
	beside := time.Time{}
	if at != nil {
		beside = at.Time().In(s.zone())
	}
	return units.Clock(t.In(s.zone()), beside, unit)
}

// A Choice is what the user has chosen to see. The zero Choice is the main screen.
type Choice struct {
	Help       bool
	HelpScroll int    // how many lines of the help are scrolled past
	Selected   string // node of a job; empty or unknown: none
	Tasks      bool   // the selected job's tasks are listed
	Scroll     int    // how many tasks are scrolled past
	Paused     bool
}

// MostMoves is how many moves of the predicted end are listed.
const MostMoves = 8

// A Playback is the position of the frame in a recording.
type Playback struct {
	Speed  float64        // a multiple of real time; 0: as fast as it can be computed
	At     frame.Seconds  // of the recording; nil: not known yet
	Length *frame.Seconds // of the recording; nil: not known yet
}

// Draw returns at most Height lines, none wider than Width cells. It returns nil if the screen has no cells.
func Draw(s State) []string {
	if s.Width <= 0 || s.Height <= 0 {
		return nil
	}
	p := newPen(s)
	lines := first(s.Height, p.draw())
	for i, l := range lines {
		lines[i] = cut(l, s.Width, p.tail)
	}
	return render(s.Style, lines)
}
