package screen

import (
	"slices"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A chain has the cells of a job's lane on the critical path from now on, for even and for odd stages.
type chain struct{ phase [2][]bool }

// on reports whether column c of a phase is critical.
func (k chain) on(phase, c int) bool { return k.phase[phase] != nil && k.phase[phase][c] }

// chain marks the critical path's segments of a job, and draws its pauses, in which no task runs.
func (p *pen) chain(t track, j *frame.Job) chain {
	var k chain
	if p.f.Workflow.State.Ended() {
		return k
	}
	for i := range p.f.CriticalPath {
		s := &p.f.CriticalPath[i]
		if s.StartSeconds == nil || s.EndSeconds == nil || !slices.Contains(s.Jobs, j.Node) {
			continue
		}
		a, b := p.cols(*s.StartSeconds, *s.EndSeconds)
		if s.Phase.Pause != dag.NoPause {
			t.put(a, b, p.g.holds, path)
			continue
		}
		on := k.phase[s.Phase.Stage%2]
		if on == nil {
			on = make([]bool, len(t))
			k.phase[s.Phase.Stage%2] = on
		}
		for c := a; c <= b; c++ {
			on[c] = true
		}
	}
	return k
}

// cols returns the first and the last column of a time range. It has at least one cell, and no cell that only its end
// touches.
func (p *pen) cols(from, to frame.Seconds) (a, b int) {
	a, b = p.scale.col(from), p.scale.col(to)
	if b > a && p.scale.at(b) >= to {
		b--
	}
	return a, max(a, b)
}
