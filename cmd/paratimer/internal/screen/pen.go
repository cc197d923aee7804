package screen

import (
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/units"
)

// A pen draws one state.
type pen struct {
	s     State
	f     *frame.Frame
	g     *glyphs
	tail  string // marks a text that is cut
	job   int    // the selected one, -1: none
	scale scale
}

func newPen(s State) *pen {
	p := &pen{s: s, f: certain(s.Frame), g: glyphsOf(s.Style), job: -1}
	p.tail = string(p.g.more)
	if p.f != nil {
		p.job = selected(s.Choice, p.f)
		p.scale = p.scaleOf()
	}
	return p
}

// elapsed returns the time from the first job's submission to the frame; 0 if unknown.
func (p *pen) elapsed() frame.Seconds {
	if p.f.ElapsedSeconds == nil {
		return 0
	}
	return *p.f.ElapsedSeconds
}

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

// clock formats an instant to a unit, with the day if that is not the frame's.
func (p *pen) clock(t time.Time, unit time.Duration) string {
	if p.f.At == nil {
		return units.Clock(t.In(p.s.Style.zone()), time.Time{}, unit)
	}
	return units.Clock(t.In(p.s.Style.zone()), p.f.At.Time().In(p.s.Style.zone()), unit)
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
