package screen

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// Lanes are the part of the screen that is drawn along time: a row for each job or stage. Before it are marks, the
// name, and counts of tasks.
type lanes struct {
	*pen
	to   frame.Seconds // the time at the end of the lanes; they begin with the first job's submission
	cols int
	now  int // the column of the frame's instant; -1: the query has ended
	seen int // the column that the past ends at: before now in a stale frame
	// name and counts are the widths of these columns; counts is 0 on a narrow screen.
	name, counts int
}

const (
	marks      = 4  // cells for the signs of selected, critical and state, with a blank after them
	countsFrom = 72 // the width from which tasks are counted beside the names
	beyond     = 1.35
)

func (p *pen) lanes() *lanes {
	l := &lanes{pen: p, now: -1}
	l.measure()
	l.cols = max(1, p.s.Width-l.left()-1)
	l.seen = l.cols
	l.to = l.end()
	if !p.f.Workflow.State.Ended() && p.f.ElapsedSeconds != nil {
		l.now = l.col(p.elapsed())
		l.seen = l.col(p.elapsed() - p.f.StaleSeconds)
	}
	return l
}

// measure makes room for the names, within a share of the width, and for the counts.
func (l *lanes) measure() {
	w := l.s.Width
	most := min(max(w/5, 8), 32)
	l.name = min(8, most)
	if w >= countsFrom {
		l.counts = len(l.counted())
	}
	for i := range l.f.Jobs {
		j := &l.f.Jobs[i]
		l.name = min(max(l.name, cells(l.foreign(j.Node))), most)
		if w >= countsFrom {
			l.counts = max(l.counts, cells(counts(j)))
		}
	}
	if l.f.IsWhole() {
		for i := range l.f.Jobs[0].Stages {
			l.name = min(max(l.name, cells(l.foreign(l.f.Jobs[0].Stages[i].Name))), most)
		}
	}
}

// end returns the time at the end of the lanes: the prediction fits, and the end of its range and a bound if they are
// at most beyond times as late.
func (l *lanes) end() frame.Seconds {
	to := l.elapsed()
	for i := range l.f.Jobs {
		if end := valueOr(l.f.Jobs[i].EndSeconds, 0); !l.unsure() {
			to = max(to, end)
		}
	}
	if l.f.Workflow.State.Ended() {
		return to
	}
	h := l.f.Headline
	to = max(to, l.elapsed()+valueOr(h.RemainingSeconds, 0), l.elapsed()+valueOr(h.LowSeconds, 0))
	if h.RemainingSeconds == nil {
		to = max(to, l.elapsed()*3/2, 10) // room for the unknown end
	}
	to = max(to, min(l.elapsed()+valueOr(h.HighSeconds, 0), to*beyond))
	for base, i := to, 0; i < len(l.f.Alerts); i++ {
		if d := l.limit(&l.f.Alerts[i]); d != nil && *d <= base*beyond {
			to = max(to, *d*1.02)
		}
	}
	return to
}

// col returns the column of a time, clipped to the lanes.
func (l *lanes) col(t frame.Seconds) int {
	if l.to <= 0 || math.IsNaN(float64(t)) {
		return 0
	}
	return int(min(max(float64(t)/float64(l.to)*float64(l.cols), 0), float64(l.cols-1)))
}

// columns returns the first and the last column of a time range. It has at least one cell, and no cell that only its
// end touches.
func (l *lanes) columns(from, to frame.Seconds) (a, b int) {
	a, b = l.col(from), l.col(to)
	if b > a && l.to*frame.Seconds(b)/frame.Seconds(l.cols) >= to {
		b--
	}
	return a, max(a, b)
}

// left returns the width before the lanes, with a blank.
func (l *lanes) left() int {
	n := marks + l.name + 1
	if l.counts > 0 {
		n += l.counts + 1
	}
	return n
}

// before returns what is before a lane without a job: words in place of name and counts.
func (l *lanes) before(words string) string {
	return pad(cut(pad("", marks)+words, l.left()-1, l.tail), l.left())
}

// beside returns what is before a lane.
func (l *lanes) beside(m, name, counts string) string {
	s := pad(m, marks) + pad(cut(name, l.name, l.tail), l.name) + " "
	if l.counts > 0 {
		s += pad(cut(counts, l.counts, l.tail), l.counts) + " "
	}
	return s
}

// rows draws the axis and the jobs on a number of rows. If there are fewer rows than jobs, the last row counts those
// that have none.
func (l *lanes) rows(rows int) []string {
	out := []string{l.axis()}
	if rows <= 1 {
		return out
	}
	jobs := l.byWeight()
	var rest []int
	if n := max(rows-2, 1); len(jobs) > rows-1 {
		jobs, rest = jobs[:n], jobs[n:]
	}
	slices.Sort(jobs)
	for _, i := range jobs {
		out = append(out, l.job(i))
	}
	if len(rest) > 0 {
		out = append(out, text(dim, l.own("   … "+l.counting(rest))))
	}
	return first(rows, append(out, l.stages(rows-len(out))...))
}

// byWeight returns the jobs, the most important ones first: the selected one, failed, running and critical, running,
// and to come, each group by nearness.
func (l *lanes) byWeight() []int {
	weight := func(i int) int {
		j := &l.f.Jobs[i]
		switch {
		case i == l.selected:
			return 0
		case j.State == dag.Failed || j.State == dag.Killed:
			return 1
		case j.Critical && j.State == dag.Running:
			return 2
		case j.State == dag.Running:
			return 3
		case j.State == dag.Submitted:
			return 4
		case j.Critical:
			return 5
		case !j.State.Ended():
			return 6
		}
		return 7
	}
	nearness := func(i int) float64 {
		j := &l.f.Jobs[i]
		if j.State.Ended() {
			return -float64(valueOr(j.EndSeconds, frame.Seconds(math.Inf(-1))))
		}
		return float64(valueOr(j.SubmittedSeconds, frame.Seconds(math.Inf(1))))
	}
	all := make([]int, len(l.f.Jobs))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(a, b int) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(nearness(a), nearness(b)))
	})
	return all
}

// counting counts jobs by state: "940 more done, 12 more running".
func (l *lanes) counting(jobs []int) string {
	kinds := [...]string{"done", "failed", "running", "to come"}
	var n [len(kinds)]int
	for _, i := range jobs {
		switch st := l.f.Jobs[i].State; {
		case st == dag.Failed || st == dag.Killed:
			n[1]++
		case st.Ended():
			n[0]++
		case st == dag.Running || st == dag.Submitted:
			n[2]++
		default:
			n[3]++
		}
	}
	var parts []string
	for k, what := range kinds {
		if n[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d more %s", n[k], what))
		}
	}
	return strings.Join(parts, ", ")
}

// jobLooks are the roles of jobs' states; others are dim.
var jobLooks = map[dag.State]role{dag.Running: lane, dag.Succeeded: good, dag.Failed: bad, dag.Killed: bad}

// state returns the sign of a job's state.
func (l *lanes) state(s dag.State) string { return text(cmp.Or(jobLooks[s], dim), l.g.state(s)) }

// job returns a job's row: its marks, name, counts and lane.
func (l *lanes) job(i int) string {
	j := &l.f.Jobs[i]
	picked, critical, name := " ", " ", plain
	if i == l.selected {
		picked, name = string(l.g.picked), pick
	}
	if j.Critical {
		critical = string(l.g.critical)
	}
	m := text(strong, picked) + text(path, critical) + l.state(j.State)
	return l.beside(m, text(name, l.foreign(j.Node)), counts(j)) + l.lane(j)
}

// stages returns the stages of a query that is one job for its engine, such as an application of Spark. If there are
// more stages than rows, it returns those around the first one that is not done.
func (l *lanes) stages(rows int) []string {
	if !l.f.IsWhole() || rows <= 0 {
		return nil
	}
	stages := l.f.Jobs[0].Stages
	from := max(0, slices.IndexFunc(stages, func(s frame.Stage) bool { return !done(s.Tasks) }))
	from = max(0, min(from-1, len(stages)-rows))
	var out []string
	for k := from; k < min(len(stages), from+rows); k++ {
		out = append(out, l.stage(k))
	}
	return out
}

func done(t frame.Tasks) bool { return t.Total != nil && t.Done >= *t.Total }

// stage returns a stage's row: its state, name, counts and lane.
func (l *lanes) stage(k int) string {
	j := &l.f.Jobs[0]
	s := &j.Stages[k]
	state := dag.Blocked
	switch {
	case done(s.Tasks):
		state = dag.Succeeded
	case j.State.Ended():
		state = j.State
	case s.Running > 0 || s.Done > 0:
		state = dag.Running
	}
	only := frame.Job{Node: j.Node}
	for _, st := range j.Stretches {
		if st.Phase.Pause == dag.NoPause && int(st.Phase.Stage) == k {
			st.Phase.Stage = 0 // in the upper half
			only.Stretches = append(only.Stretches, st)
		}
	}
	t := l.track()
	l.tasksOf(t, &only, critical{})
	l.through(t)
	return l.beside("  "+l.state(state), text(dim, l.inner(l.foreign(s.Name))), counted(tally(s.Tasks), "")) + t.String()
}

// inner cuts a name at its start: names of a program's stages often differ only at their ends.
func (l *lanes) inner(name string) string {
	if over := cells(name) - l.name; over > 0 {
		return l.tail + ansi.TruncateLeft(name, over+1, "")
	}
	return name
}

// mapReduce reports whether the counts are of maps and reduces: if a job has these, or no job is known.
func (p *pen) mapReduce() bool {
	isMapReduce := func(j frame.Job) bool { return j.IsMapReduce() }
	return p.f == nil || len(p.f.Jobs) == 0 || slices.ContainsFunc(p.f.Jobs, isMapReduce)
}

// counted returns the heading of the counts.
func (p *pen) counted() string {
	if p.mapReduce() {
		return counted("maps", "reduces")
	}
	return counted("tasks", "")
}

// counts returns how many maps and reduces are done; for a job with other stages, how many tasks.
func counts(j *frame.Job) string {
	m, r := tally(j.Maps), tally(j.Reduces)
	switch {
	case !j.IsMapReduce():
		tasks, all := j.Known()
		if !all {
			tasks.Total = nil
		}
		return counted(tally(tasks), "")
	case m == "" && r == "":
		return ""
	}
	return counted(m, r)
}

func counted(maps, reduces string) string { return fmt.Sprintf("%7s %7s", maps, reduces) }

func tally(t frame.Tasks) string {
	switch {
	case t.Total == nil && t.Done == 0:
		return ""
	case t.Total == nil:
		return strconv.Itoa(t.Done) + "/?"
	case *t.Total == 0:
		return "-"
	}
	return strconv.Itoa(t.Done) + "/" + strconv.Itoa(*t.Total)
}
