package screen

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// critical has the cells of a job's lane on the critical path from now on, for even and for odd stages.
type critical [2][]bool

// lane draws a job along time: waiting, maps and reduces in the past and predicted, the critical ones, slack, and
// failures. If there is room, the jobs that it depends on are named before it.
func (l *lanes) lane(j *frame.Job) string {
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
			t.write(c, dim, string(l.g.slack))
		}
	}
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
		t.put(c, c, l.g.failed, bad)
	}
	l.after(t, j)
	return t.String()
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
			t.put(c, c, l.g.seen[what], look)
			continue
		}
		for k, of := range on {
			if what>>k&1 == 1 && of != nil && of[c] {
				what |= 4 << k
				look = path
			}
		}
		t.put(c, c, l.g.expected(what), look)
	}
}

// through draws the vertical lines through all lanes: now, and the bounds. Of an uncertain future nothing else is left.
func (l *lanes) through(t track) {
	if l.unsure() && l.now >= 0 {
		t.put(l.now+1, len(t)-1, ' ', plain)
	}
	for i := range l.f.Alerts {
		if c, ok := l.limitCol(&l.f.Alerts[i]); ok && (t[c].s == " " || t[c].s == string(l.g.slack)) {
			t.put(c, c, l.g.limit, warn)
		}
	}
	if l.now >= 0 {
		t.put(l.now, l.now, l.g.now, strong)
	}
}

// after names the jobs that a future job depends on: before now, where its lane is free.
func (l *lanes) after(t track, j *frame.Job) {
	if len(j.After) == 0 || j.State.Ended() || l.now < 0 || valueOr(j.SubmittedSeconds, l.to) <= l.elapsed() {
		return
	}
	names := l.foreign(strings.Join(j.After, ", "))
	for _, words := range []string{"after " + names, "after " + units.Count(len(j.After), "job")} {
		if t.write(l.now-1-cells(words), dim, words) {
			return
		}
	}
}

// A track is a row of cells along time.
type track []cell

// A cell is a text one cell wide. A wider text takes several cells: the others are empty.
type cell struct {
	s    string
	role role
}

func (l *lanes) track() track { return slices.Repeat(track{{" ", plain}}, l.cols) }

// put draws from column a to b, both included.
func (t track) put(a, b int, r rune, of role) {
	for i := max(0, a); i <= b && i < len(t); i++ {
		t[i] = cell{string(r), of}
	}
}

// write puts a text into free cells from column a on. It reports whether there was room.
func (t track) write(a int, r role, s string) bool {
	n := cells(s)
	if a < 0 || a+n > len(t) || slices.ContainsFunc(t[a:a+n], func(c cell) bool { return c.s != " " }) {
		return false
	}
	for s != "" {
		g, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(g):]
		for i := range w {
			t[a+i] = cell{g, r}
			g = ""
		}
		a += w
	}
	return true
}

// String joins the cells of one role.
func (t track) String() string {
	var b strings.Builder
	for i := 0; i < len(t); {
		s, look := "", t[i].role
		for ; i < len(t) && t[i].role == look; i++ {
			s += t[i].s
		}
		b.WriteString(text(look, s))
	}
	return b.String()
}
