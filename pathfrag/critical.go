package pathfrag

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// walk finds the critical path (section 3.1.3; docs/facts/paratimer.md A3): from now on the fragment that starts
// earliest, among equal starts the one that ends last, then the one with the smaller id. What starts before the end of
// a segment and ends after it survives from there on, and competes with what starts there. So only the one that ends
// last of all that have started can follow. Fragments are in order of their starts.
func (p *Path) walk() {
	now := p.Schedule.Now
	at, last := now, -1   // last: of the fragments that start by at the one that ends last
	n := len(p.Fragments) // bridges come after them
	var failed []int
	for i := range p.Schedule.Spans {
		if sp := &p.Schedule.Spans[i]; sp.Outcome == schedule.Fails && sp.End > now {
			failed = append(failed, i)
		}
	}
	for next := 0; ; {
		for ; next < n && p.Fragments[next].Start <= at; next++ {
			if last < 0 || p.Fragments[next].End > p.Fragments[last].End {
				last = next
			}
		}
		switch {
		case last >= 0 && p.Fragments[last].End > at:
			f := &p.Fragments[last]
			p.Critical = append(p.Critical, Segment{
				Fragment: last, Extra: max(f.Start, now) < at, Start: at,
				End: f.End,
			})
			at = f.End
		case next < n:
			p.bridge(failed, at, p.Fragments[next].Start)
			at = p.Fragments[next].Start
		default:
			p.bridge(failed, at, p.Schedule.End)
			return
		}
	}
}

// bridge lengthens the path through a stretch in which nothing succeeds: by the failed attempts that cover it,
// and for the rest by a wait.
func (p *Path) bridge(failed []int, from, to dag.Instant) {
	for from < to {
		best, next := -1, to
		for _, i := range failed {
			sp := &p.Schedule.Spans[i]
			if sp.End <= from || sp.Start >= to {
				continue
			}
			switch {
			case sp.Start > from:
				next = min(next, sp.Start)
			case best < 0 || sp.End > p.Schedule.Spans[best].End:
				best = i
			}
		}
		if best < 0 {
			p.fill(Fragment{Stage: dag.NoStage, Pause: dag.Wave, Start: from, End: next})
			from = next
			continue
		}
		sp := &p.Schedule.Spans[best]
		p.Rounds = append(p.Rounds, Round{
			ID: len(p.Rounds), Stage: sp.Stage, Start: sp.Start, End: sp.End,
			Spans: []int{best},
		})
		end := min(sp.End, to)
		p.fill(Fragment{Stage: sp.Stage, Rounds: []int{len(p.Rounds) - 1}, Start: from, End: end})
		from = end
	}
}

func (p *Path) fill(f Fragment) {
	f.ID = len(p.Fragments)
	p.Fragments = append(p.Fragments, f)
	p.Critical = append(p.Critical, Segment{Fragment: f.ID, Start: f.Start, End: f.End})
}
