// Package screen draws the live terminal: what a frame says, as lines of text for a terminal of a width and height. It
// is pure: no terminal, no clock, no keys are read here, and nothing is computed that the frame does not say. Colour
// never carries meaning alone.
package screen

import (
	"cmp"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A State is everything that the drawing depends on.
type State struct {
	// Frame is what is shown; nil: nothing has been observed yet.
	Frame *frame.Frame
	// History has been told of every frame up to Frame. What it knows of later ones is not drawn, so that a replay may
	// go back.
	History *History
	// Width and Height are the terminal's, in cells.
	Width, Height int
	Style         Style
	Choice        Choice
	// Play is how a recording is played; nil: the query is watched live.
	Play *Playback
	// Subject is what is looked at, shown while there is no frame.
	Subject string
	// Log is the newest line that the program has to tell beside its frames; empty: none.
	Log string
}

// A Style is what the terminal can show.
type Style struct {
	Colour bool // else no escape sequence is written at all
	Light  bool // dark text on a light ground
	ASCII  bool // else UTF-8
	// Zone is the zone of all clocks; nil: UTC.
	Zone *time.Location
}

// zone is the zone of the clocks.
func (s Style) zone() *time.Location { return cmp.Or(s.Zone, time.UTC) }

// A Choice is what the reader has chosen to see. The zero Choice is the screen as it opens.
type Choice struct {
	Help       bool
	HelpScroll int    // how many lines of the help are scrolled past
	Selected   string // node of a job; empty or unknown: none
	Tasks      bool   // the selected job's tasks are listed
	Scroll     int    // how many tasks are scrolled past
	Scenario   string // the headline is shown under it; empty or unknown: as the frame says
	Finding    bool   // a part of a job's name is being typed
	Find       string // what has been typed
	Paused     bool
}

// A Playback is where in a recording the frame is.
type Playback struct {
	Speed  float64        // times as fast as it happened; 0: as fast as it can be computed
	At     frame.Seconds  // of the frame, since the first job's submission
	Length *frame.Seconds // of the recording; nil: not known yet
}

// Draw gives at most Height lines, none wider than Width cells. Nothing is drawn of a screen that has no cells.
func Draw(s State) []string {
	if s.Width <= 0 || s.Height <= 0 {
		return nil
	}
	p := newPen(s)
	lines := first(s.Height, p.draw())
	for i, l := range lines {
		lines[i] = l.cut(s.Width, p.tail)
	}
	return render(s.Style, lines)
}
