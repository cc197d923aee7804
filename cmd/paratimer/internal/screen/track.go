package screen

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// lane draws a row along time: waiting, maps and reduces in the past and predicted, the critical ones, slack, and
// failures. If there is room, the jobs that it depends on are named before it.
func (l *lanes) lane(j *frame.Job) string {
	t := l.track()
	if j.SubmittedSeconds != nil { // stages are drawn over it
		if to := valueOr(j.EndSeconds, l.elapsed()); to >= *j.SubmittedSeconds {
			a, b := l.columns(*j.SubmittedSeconds, to)
			t.put(a, b, signWaits, dim)
		}
	}
	l.tasksOf(t, j, l.critical(t, j))
	if s := j.SlackSeconds; s != nil && *s > 0 && j.EndSeconds != nil && !j.State.Ended() {
		a, b := l.columns(*j.EndSeconds, *j.EndSeconds+*s)
		for c := a; c <= b; c++ {
			t.write(c, dim, signSlack)
		}
	}
	l.through(t)
	for _, f := range l.f.Failures {
		if f.Job != j.Node || f.AtSeconds == nil {
			continue
		}
		c := l.col(*f.AtSeconds)
		if c == l.now && c > 0 {
			c-- // keep the line of now intact
		}
		t.put(c, c, signFailed, bad)
	}
	l.after(t, j)
	return t.String()
}

// critical marks the cells of a job on the critical path, for even and for odd stages, and draws the path's pauses, in
// which no task runs.
func (l *lanes) critical(t track, j *frame.Job) (on [2]track) {
	on = [2]track{l.track(), l.track()}
	for _, s := range l.f.CriticalPath {
		if l.ended() || s.StartSeconds == nil || s.EndSeconds == nil || !slices.Contains(s.Jobs, j.Node) {
			continue
		}
		a, b := l.columns(*s.StartSeconds, *s.EndSeconds)
		if s.Phase.Stage == dag.NoStage {
			t.put(a, b, signHolds, path)
			continue
		}
		on[s.Phase.Stage%2].put(a, b, signCritical, path)
	}
	return on
}

// tasksOf draws the stages, alternately as maps and as reduces: the past is solid, the prediction dotted, and dense if
// it is critical.
func (l *lanes) tasksOf(t track, j *frame.Job, critical [2]track) {
	in := make([]byte, len(t))
	for _, s := range j.Stretches {
		if s.StartSeconds == nil || s.Phase.Stage == dag.NoStage {
			continue
		}
		a, b := l.columns(*s.StartSeconds, valueOr(s.EndSeconds, max(*s.StartSeconds, l.elapsed())))
		for c := a; c <= b; c++ {
			in[c] |= 1 << (s.Phase.Stage % 2) // neighbors differ
		}
	}
	for c, what := range in {
		look := lane
		for k := range critical {
			if c >= l.seen && what>>k&1 == 1 && critical[k][c].role == path {
				what |= 4 << k
				look = path
			}
		}
		switch {
		case what == 0:
		case c < l.seen:
			t.put(c, c, signSeen[what], look)
		default:
			t.put(c, c, expected(what), look)
		}
	}
}

// through draws the vertical lines through all lanes: now, and the bounds. Of an uncertain future nothing else is left.
func (l *lanes) through(t track) {
	if l.unsure() && l.now >= 0 {
		t.put(l.now+1, len(t)-1, " ", plain)
	}
	for i := range l.f.Alerts {
		if c, ok := l.limitCol(&l.f.Alerts[i]); ok && (t[c].s == " " || t[c].s == signSlack) {
			t.put(c, c, signLimit, warn)
		}
	}
	if l.now >= 0 {
		t.put(l.now, l.now, signNow, strong)
	}
}

// after names the jobs that a future job depends on: before now, where its lane is free.
func (l *lanes) after(t track, j *frame.Job) {
	if len(j.After) == 0 || j.State.Ended() || l.now < 0 || valueOr(j.SubmittedSeconds, l.to) <= l.elapsed() {
		return
	}
	for _, names := range []string{l.foreign(strings.Join(j.After, ", ")), units.Count(len(j.After), "job")} {
		if t.write(l.now-7-cells(names), dim, "after "+names) {
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

// put draws a sign from column a to b, both included.
func (t track) put(a, b int, sign string, of role) {
	for i := max(0, a); i <= b && i < len(t); i++ {
		t[i] = cell{sign, of}
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
