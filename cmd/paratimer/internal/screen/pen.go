package screen

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A pen draws one state.
type pen struct {
	s     State
	f     *frame.Frame
	g     *glyphs
	tail  string // tells that a text goes on
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

// elapsed is how far the frame is from the first job's submission; 0 where nobody knows.
func (p *pen) elapsed() frame.Seconds {
	if p.f.ElapsedSeconds == nil {
		return 0
	}
	return *p.f.ElapsedSeconds
}

// at is the instant of a number of seconds since the first job's submission.
func (p *pen) at(s frame.Seconds) (time.Time, bool) {
	if p.f.At == nil || p.f.ElapsedSeconds == nil {
		return time.Time{}, false
	}
	at := p.f.At.Time()
	if p.f.Workflow.State.Ended() && p.f.Headline.EndAt != nil {
		at = p.f.Headline.EndAt.Time() // what has elapsed ends with the query, however long ago that was
	}
	return at.Add((s - *p.f.ElapsedSeconds).Duration()), true
}

// clock words an instant to a unit, with its day where that is not the frame's.
func (p *pen) clock(t time.Time, unit time.Duration) string {
	t = t.UTC().Round(unit)
	layout := "15:04:05"
	if unit >= time.Minute {
		layout = "15:04"
	}
	if p.f.At != nil && p.f.At.Time().UTC().Format(time.DateOnly) != t.Format(time.DateOnly) {
		layout = "2 Jan " + layout
	}
	return t.Format(layout)
}

// percent words a ratio.
func percent(r frame.Ratio) string {
	switch v := float64(r) * 100; {
	case v > 0 && v < 1:
		return "<1 %"
	case v > 99 && v < 100:
		return ">99 %"
	default:
		return fmt.Sprintf("%.0f %%", v)
	}
}
