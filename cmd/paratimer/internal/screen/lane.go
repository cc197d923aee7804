package screen

import (
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// lane draws a job along time: waiting, maps and reduces in the past and predicted, the critical ones, slack, and
// failures. If there is room, the jobs that it depends on are named before it.
func (p *pen) lane(i int) line {
	j := &p.f.Jobs[i]
	t := p.track()
	p.waits(t, j)
	k := p.chain(t, j)
	p.phases(t, j, k)
	p.slack(t, j)
	after := p.after(t, j)
	p.through(t)
	p.failures(t, j)
	return t.line(after...)
}

// waits draws the job from its submission to its end. Its stages are drawn over it.
func (p *pen) waits(t track, j *frame.Job) {
	if j.SubmittedSeconds == nil {
		return
	}
	to := p.elapsed()
	if j.EndSeconds != nil {
		to = *j.EndSeconds
	}
	if to >= *j.SubmittedSeconds {
		a, b := p.cols(*j.SubmittedSeconds, to)
		t.put(a, b, p.g.waits, dim)
	}
}

// phases draws the stages, alternately as maps and as reduces: the past is solid, the prediction dotted, and dense if
// it is critical.
func (p *pen) phases(t track, j *frame.Job, k chain) {
	in := make([]byte, len(t))
	for _, s := range j.Stretches {
		if s.StartSeconds == nil || s.Phase.Pause != dag.NoPause {
			continue
		}
		to := max(*s.StartSeconds, p.elapsed())
		if s.EndSeconds != nil {
			to = *s.EndSeconds
		}
		a, b := p.cols(*s.StartSeconds, to)
		for c := a; c <= b && c < len(in); c++ {
			in[c] |= 1 << (s.Phase.Stage % 2) // neighbors differ
		}
	}
	for c, what := range in {
		if what == 0 {
			continue
		}
		if c < p.scale.seen {
			t[c] = cell{p.g.seen[what], lane}
			continue
		}
		r := lane
		for phase := range 2 {
			if what>>phase&1 == 1 && k.on(phase, c) {
				what |= 4 << phase
				r = path
			}
		}
		t[c] = cell{p.g.expected(what), r}
	}
}

// slack draws how much later the job may end without delaying the query.
func (p *pen) slack(t track, j *frame.Job) {
	s := j.SlackSeconds
	if s == nil || *s <= 0 || j.EndSeconds == nil || j.State.Ended() {
		return
	}
	a, b := p.cols(*j.EndSeconds, *j.EndSeconds+*s)
	for c := a; c <= b; c++ {
		if t[c].r == ' ' {
			t[c] = cell{p.g.slack, dim}
		}
	}
}

// through draws the vertical lines through all lanes: now, and the bounds.
func (p *pen) through(t track) {
	for i := range p.f.Alerts {
		if c, ok := p.limitCol(&p.f.Alerts[i]); ok && (t[c].r == ' ' || t[c].r == p.g.slack) {
			t[c] = cell{p.g.limit, warn}
		}
	}
	if p.scale.now >= 0 {
		t[p.scale.now] = cell{p.g.now, strong}
	}
}

// failures marks when attempts of the job failed.
func (p *pen) failures(t track, j *frame.Job) {
	for i := range p.f.Failures {
		f := &p.f.Failures[i]
		if f.Job != j.Node || f.AtSeconds == nil {
			continue
		}
		c := p.scale.col(*f.AtSeconds)
		if c == p.scale.now && c > 0 {
			c-- // keep the line of now intact
		}
		t[c] = cell{p.g.failed, bad}
	}
}

// after names the jobs that a future job depends on: in the free room before its lane, else before now.
func (p *pen) after(t track, j *frame.Job) []label {
	if len(j.After) == 0 || j.State.Ended() || p.scale.now < 0 || j.SubmittedSeconds != nil &&
		*j.SubmittedSeconds <= p.elapsed() {
		return nil
	}
	names := make([]string, len(j.After))
	for i, a := range j.After {
		names[i] = p.foreign(a)
	}
	for _, words := range []string{"after " + strings.Join(names, ", "), "after " + units.Count(len(names), "job")} {
		n := cells(words)
		to := p.scale.now + 1 // where its lane begins
		for to < len(t) && t[to].r == ' ' {
			to++
		}
		if j.SubmittedSeconds == nil {
			to = p.scale.now + 3 + n // unknown
		}
		for _, at := range []int{to - 1 - n, p.scale.now - 1 - n} {
			if t.free(at-1, at+n) && (at > p.scale.now || at+n <= p.scale.now) {
				return []label{{span{words, n, dim}, at}}
			}
		}
	}
	return nil
}
