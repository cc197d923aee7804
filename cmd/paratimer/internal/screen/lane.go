package screen

import (
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// critical has the cells of a job's lane on the critical path from now on, for even and for odd stages.
type critical [2][]bool

// lane draws a job along time: waiting, maps and reduces in the past and predicted, the critical ones, slack, and
// failures. If there is room, the jobs that it depends on are named before it.
func (l *lanes) lane(j *frame.Job) line {
	t := l.track()
	if j.SubmittedSeconds != nil { // stages are drawn over it
		if to := valueOr(j.EndSeconds, l.elapsed()); to >= *j.SubmittedSeconds {
			a, b := l.columns(*j.SubmittedSeconds, to)
			t.put(a, b, l.g.waits, dim)
		}
	}
	l.tasksOf(t, j, l.critical(t, j))
	if s := j.SlackSeconds; s != nil && *s > 0 && j.EndSeconds != nil && !j.State.Ended() {
		a, b := l.columns(*j.EndSeconds, *j.EndSeconds+*s)
		for c := a; c <= b; c++ {
			if t[c].r == ' ' {
				t[c] = cell{l.g.slack, dim}
			}
		}
	}
	after := l.after(t, j)
	l.through(t)
	for i := range l.f.Failures {
		f := &l.f.Failures[i]
		if f.Job != j.Node || f.AtSeconds == nil {
			continue
		}
		c := l.col(*f.AtSeconds)
		if c == l.now && c > 0 {
			c-- // keep the line of now intact
		}
		t[c] = cell{l.g.failed, bad}
	}
	return t.line(after...)
}

// critical marks the critical path's segments of a job, and draws its pauses, in which no task runs.
func (l *lanes) critical(t track, j *frame.Job) (on critical) {
	if l.f.Workflow.State.Ended() {
		return on
	}
	for i := range l.f.CriticalPath {
		s := &l.f.CriticalPath[i]
		if s.StartSeconds == nil || s.EndSeconds == nil || !slices.Contains(s.Jobs, j.Node) {
			continue
		}
		a, b := l.columns(*s.StartSeconds, *s.EndSeconds)
		if s.Phase.Pause != dag.NoPause {
			t.put(a, b, l.g.holds, path)
			continue
		}
		k := s.Phase.Stage % 2
		if on[k] == nil {
			on[k] = make([]bool, len(t))
		}
		for c := a; c <= b; c++ {
			on[k][c] = true
		}
	}
	return on
}

// tasksOf draws the stages, alternately as maps and as reduces: the past is solid, the prediction dotted, and dense if
// it is critical.
func (l *lanes) tasksOf(t track, j *frame.Job, on critical) {
	in := make([]byte, len(t))
	for _, s := range j.Stretches {
		if s.StartSeconds == nil || s.Phase.Pause != dag.NoPause {
			continue
		}
		a, b := l.columns(*s.StartSeconds, valueOr(s.EndSeconds, max(*s.StartSeconds, l.elapsed())))
		for c := a; c <= b; c++ {
			in[c] |= 1 << (s.Phase.Stage % 2) // neighbors differ
		}
	}
	for c, what := range in {
		look := lane
		switch {
		case what == 0:
			continue
		case c < l.seen:
			t[c] = cell{l.g.seen[what], look}
			continue
		}
		for k, of := range on {
			if what>>k&1 == 1 && of != nil && of[c] {
				what |= 4 << k
				look = path
			}
		}
		t[c] = cell{l.g.expected(what), look}
	}
}

// through draws the vertical lines through all lanes: now, and the bounds.
func (l *lanes) through(t track) {
	for i := range l.f.Alerts {
		if c, ok := l.limitCol(&l.f.Alerts[i]); ok && (t[c].r == ' ' || t[c].r == l.g.slack) {
			t[c] = cell{l.g.limit, warn}
		}
	}
	if l.now >= 0 {
		t[l.now] = cell{l.g.now, strong}
	}
}

// after names the jobs that a future job depends on: in the free room before its lane, else before now.
func (l *lanes) after(t track, j *frame.Job) []label {
	if len(j.After) == 0 || j.State.Ended() || l.now < 0 ||
		j.SubmittedSeconds != nil && *j.SubmittedSeconds <= l.elapsed() {
		return nil
	}
	names := make([]string, len(j.After))
	for i, a := range j.After {
		names[i] = l.foreign(a)
	}
	for _, words := range []string{"after " + strings.Join(names, ", "), "after " + units.Count(len(names), "job")} {
		n := cells(words)
		to := l.now + 1 // where its lane begins
		for to < len(t) && t[to].r == ' ' {
			to++
		}
		if j.SubmittedSeconds == nil {
			to = l.now + 3 + n // unknown
		}
		for _, at := range []int{to - 1 - n, l.now - 1 - n} {
			if t.free(at-1, at+n) && (at > l.now || at+n <= l.now) {
				return []label{{span{words, n, dim}, at}}
			}
		}
	}
	return nil
}

// A track is a row of cells along time.
type track []cell

type cell struct {
	r    rune
	role role
}

// A label is a text on a track.
type label struct {
	span
	col int
}

func (l *lanes) track() track {
	t := make(track, l.cols)
	for i := range t {
		t[i] = cell{' ', plain}
	}
	return t
}

// put draws from column a to b, both included.
func (t track) put(a, b int, r rune, of role) {
	for i := max(0, a); i <= b && i < len(t); i++ {
		t[i] = cell{r, of}
	}
}

// free reports whether nothing is drawn from column a to b.
func (t track) free(a, b int) bool {
	if a < 0 || b >= len(t) {
		return false
	}
	for i := a; i <= b; i++ {
		if t[i].r != ' ' {
			return false
		}
	}
	return true
}

// line joins the cells of one role, and puts labels over them. Labels are in the order of their columns and do not
// overlap.
func (t track) line(over ...label) line {
	var l line
	for i := 0; i < len(t); {
		next := len(t)
		if len(over) > 0 {
			next = over[0].col
			if next <= i {
				l = append(l, over[0].span)
				i += max(0, over[0].cells)
				over = over[1:]
				continue
			}
		}
		j := i + 1
		for j < next && t[j].role == t[i].role {
			j++
		}
		runes := make([]rune, j-i)
		for k := range runes {
			runes[k] = t[i+k].r
		}
		l = append(l, span{string(runes), j - i, t[i].role})
		i = j
	}
	return l
}
