package screen

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// A scale maps times to columns of the lanes: 0 is the first job's submission, to is the lanes' end.
type scale struct {
	to    frame.Seconds
	cols  int // of the lanes
	now   int // the column of the frame's instant; -1: the query has ended
	seen  int // the column that the past ends at: before now in a stale frame
	known bool
}

// beyond is how much longer the lanes may get for the end of the range, or for a bound.
const beyond = 1.35

// scaleOf returns a scale that covers the past and the prediction. wide sets the lanes' width later.
func (p *pen) scaleOf() scale {
	s := scale{to: p.elapsed(), now: -1, known: p.f.ElapsedSeconds != nil}
	over := p.f.Workflow.State.Ended()
	for i := range p.f.Jobs {
		if e := p.f.Jobs[i].EndSeconds; e != nil {
			s.to = max(s.to, *e)
		}
	}
	if over {
		return s
	}
	h := p.f.Headline
	for _, r := range []*frame.Seconds{h.RemainingSeconds, h.LowSeconds} {
		if r != nil {
			s.to = max(s.to, p.elapsed()+*r)
		}
	}
	if h.RemainingSeconds == nil {
		// The end is unknown: leave room.
		s.to = max(s.to, p.elapsed()*3/2, 10)
	}
	if h.HighSeconds != nil {
		s.to = max(s.to, min(p.elapsed()+*h.HighSeconds, s.to*beyond))
	}
	base := s.to
	for i := range p.f.Alerts {
		if d := p.limit(&p.f.Alerts[i]); d != nil && *d <= base*beyond {
			s.to = max(s.to, *d*1.02)
		}
	}
	return s
}

// limit returns when a bound is broken, in seconds since the first job's submission; nil if unknown or a quiet
// default.
func (p *pen) limit(a *frame.Alert) *frame.Seconds {
	if a.DeadlineAt == nil || p.f.At == nil || p.f.ElapsedSeconds == nil || a.Quiet && !a.State.Firing() {
		return nil
	}
	zero, _ := p.at(0)
	s := frame.SecondsOf(a.DeadlineAt.Time().Sub(zero))
	return &s
}

// wide sets the lanes' width.
func (p *pen) wide(cols int) {
	p.scale.cols = cols
	p.scale.now, p.scale.seen = -1, cols
	if !p.f.Workflow.State.Ended() && p.scale.known {
		p.scale.now = p.scale.col(p.elapsed())
		p.scale.seen = p.scale.col(p.elapsed() - p.f.StaleSeconds)
	}
}

// col returns the column of a time, clipped to the lanes.
func (s scale) col(t frame.Seconds) int {
	if s.to <= 0 || s.cols <= 0 || math.IsNaN(float64(t)) {
		return 0
	}
	return int(min(max(float64(t)/float64(s.to)*float64(s.cols), 0), float64(s.cols-1)))
}

// ticks returns a distance between ticks that leaves room for labels of a width.
func (s scale) ticks(label int) time.Duration {
	const most = 10_000 * 24 * 3600
	need := float64(s.to) / float64(max(1, s.cols)) * float64(label+3)
	return frame.Seconds(min(chart.TimeStep(max(1, need)), most)).Duration()
}

// at returns the time at which a column begins.
func (s scale) at(col int) frame.Seconds {
	return s.to * frame.Seconds(col) / frame.Seconds(max(1, s.cols))
}
