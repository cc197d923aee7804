package screen

import (
	"iter"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// A pen draws one state.
type pen struct {
	s        State
	f        *frame.Frame
	g        *glyphs
	tail     string // marks a text that is cut
	selected int    // the selected job, -1: none
}

func newPen(s State) *pen {
	p := &pen{s: s, f: s.Frame, g: glyphsOf(s.Style), selected: -1}
	p.tail = string(p.g.more)
	if p.f != nil {
		p.selected = selected(s.Choice, p.f)
	}
	return p
}

// unsure reports whether too much of the future is assumed to draw it along a clock: the headline has no number.
func (p *pen) unsure() bool {
	return p.f.Headline.RemainingSeconds == nil && !p.f.Workflow.State.Ended()
}

// elapsed returns the time from the first job's submission to the frame; 0 if unknown.
func (p *pen) elapsed() frame.Seconds { return p.f.Elapsed() }

// at returns the instant of a number of seconds since the first job's submission.
func (p *pen) at(s frame.Seconds) (time.Time, bool) {
	if p.f.At == nil || p.f.ElapsedSeconds == nil {
		return time.Time{}, false
	}
	at := p.f.At.Time()
	if p.f.Workflow.State.Ended() && p.f.Headline.EndAt != nil {
		at = p.f.Headline.EndAt.Time() // the elapsed time ends with the query, however long ago that was
	}
	return at.Add((s - *p.f.ElapsedSeconds).Duration()), true
}

// past returns the frames with news up to the drawn one.
func (p *pen) past() iter.Seq[*frame.Frame] {
	return func(yield func(*frame.Frame) bool) {
		if p.s.Past == nil {
			return
		}
		for f := range p.s.Past {
			if f.ElapsedSeconds != nil && f.StaleSeconds == 0 && *f.ElapsedSeconds <= p.elapsed() && !yield(f) {
				return
			}
		}
	}
}

// clock formats an instant to a unit, with the day if that is not the frame's.
func (p *pen) clock(t time.Time, unit time.Duration) string {
	return p.s.Style.clock(t, p.f.At, unit)
}

// inZone converts the times in a frame's sentence to the user's zone.
func (p *pen) inZone(s string) string {
	if p.f == nil || p.f.At == nil {
		return s
	}
	return units.InZone(s, p.f.At.Time(), p.s.Style.Zone)
}

// zone returns the name of the clocks' zone at an instant, e.g. "CET".
func (p *pen) zone(t time.Time) string { return t.In(p.s.Style.zone()).Format("MST") }
