package screen

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// lanes is the part of the screen that is drawn along time: a row for each job or stage. A row begins with marks, the
// name, and counts of tasks.
type lanes struct {
	*pen
	all  []frame.Job   // the jobs, and the stages of a query that is one job for its engine
	to   frame.Seconds // the time at the end of the lanes; they begin with the first job's submission
	cols int
	now  int // the column of the frame's instant; -1: the query has ended
	seen int // the column that the past ends at: before now in a stale frame
	// left is the width before the lanes, with a blank; name and counts are the widths of these columns. counts is 0 on
	// a narrow screen.
	left, name, counts int
}

const (
	marks      = 4  // cells for the signs of selected, critical and state, with a blank after them
	countsFrom = 72 // the width from which tasks are counted beside the names
	beyond     = 1.35
)

func (p *pen) lanes() *lanes {
	l := &lanes{pen: p, now: -1, all: p.rowsOf()}
	if p.Width >= countsFrom {
		l.counts = cells(p.counted()) + 1
	}
	for i := range l.all {
		l.name = max(l.name, 8, cells(p.foreign(l.all[i].Node)))
		if l.counts > 0 {
			l.counts = max(l.counts, cells(counts(&l.all[i]))+1)
		}
	}
	l.name = min(l.name, max(p.Width/5, 8), 32)
	l.left = marks + l.name + 1 + l.counts
	l.cols = max(1, p.Width-l.left-1)
	l.seen = l.cols
	l.to = l.end()
	if !p.ended() && p.f.ElapsedSeconds != nil {
		l.now = l.col(p.elapsed())
		l.seen = l.col(p.elapsed() - p.f.StaleSeconds)
	}
	return l
}

// rowsOf returns the jobs. The stages of a query that is one job for its engine follow, as jobs of one stage.
func (p *pen) rowsOf() []frame.Job {
	if !p.f.IsWhole() {
		return p.f.Jobs
	}
	all, j := slices.Clone(p.f.Jobs), &p.f.Jobs[0]
	for k, s := range j.Stages {
		row := frame.Job{Node: s.Name, Stages: []frame.Stage{s}}
		switch {
		case s.Total != nil && s.Done >= *s.Total:
			row.State = dag.Succeeded
		case j.State.Ended():
			row.State = j.State
		case s.Running > 0 || s.Done > 0:
			row.State = dag.Running
		}
		for _, st := range j.Stretches {
			if int(st.Phase.Stage) == k {
				row.SubmittedSeconds, row.EndSeconds = st.StartSeconds, st.EndSeconds
				st.Phase.Stage = 0 // in the upper half
				row.Stretches = []frame.Stretch{st}
			}
		}
		all = append(all, row)
	}
	return all
}

// end returns the time at the end of the lanes: the prediction fits, and the end of its range and a bound if they are
// at most beyond times as late.
func (l *lanes) end() frame.Seconds {
	now := l.elapsed()
	to := now
	for i := range l.f.Jobs {
		if !l.unsure() {
			to = max(to, valueOr(l.f.Jobs[i].EndSeconds, 0))
		}
	}
	if l.ended() {
		return to
	}
	h := l.f.Headline
	to = max(to, now+valueOr(h.RemainingSeconds, 0), now+valueOr(h.LowSeconds, 0))
	if h.RemainingSeconds == nil {
		to = max(to, now*3/2, 10) // room for the unknown end
	}
	to = max(to, min(now+valueOr(h.HighSeconds, 0), to*beyond))
	for base, i := to, 0; i < len(l.f.Alerts); i++ {
		if d, ok := l.limit(&l.f.Alerts[i]); ok && d <= base*beyond {
			to = max(to, d*1.02)
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

// before returns the text before a lane without a job: words in place of a name and counts.
func (l *lanes) before(words string) string { return pad(cut(pad("", marks)+words, l.left-1), l.left) }

// beside returns what is before a lane.
func (l *lanes) beside(m, name, counts string) string {
	s := pad(m, marks) + pad(cut(name, l.name), l.name) + " "
	return s + pad(cut(counts, max(l.counts-1, 0)), l.counts)
}

// rows draws the axis and the jobs on a number of rows. If there are fewer rows than jobs, the last row counts those
// that have none.
func (l *lanes) rows(rows int) []string {
	jobs := l.byWeight()
	var rest []int
	if n := max(rows-2, 1); len(jobs) > rows-1 {
		jobs, rest = jobs[:n], jobs[n:]
	}
	slices.Sort(jobs)
	out := append([]string{l.axis()}, units.Each(jobs, l.row)...)
	if len(rest) > 0 {
		out = append(out, text(dim, "   … "+l.counting(rest)))
	}
	return first(rows, out)
}

// weights are the importance of rows by their state, the most important ones first.
var weights = map[dag.State]int{dag.Failed: 1, dag.Killed: 1, dag.Running: 3, dag.Submitted: 4}

// byWeight returns the rows, the most important ones first: the selected one, failed, running and critical, running,
// submitted, and then those that end or begin nearest to now.
func (l *lanes) byWeight() []int {
	class := func(i int) int {
		j := &l.all[i]
		switch {
		case i == l.selected, i == 0 && l.f.IsWhole():
			return 0
		case j.State == dag.Running && j.Critical:
			return 2
		}
		return cmp.Or(weights[j.State], 5)
	}
	away := func(i int) frame.Seconds {
		if j := &l.all[i]; !j.State.Ended() {
			return valueOr(j.SubmittedSeconds, 1e18) - l.elapsed()
		}
		return l.elapsed() - valueOr(l.all[i].EndSeconds, -1e18)
	}
	all := make([]int, len(l.all))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(a, b int) int {
		return cmp.Or(cmp.Compare(class(a), class(b)), cmp.Compare(away(a), away(b)))
	})
	return all
}

// counting counts rows by state: "940 more done, 12 more running".
func (l *lanes) counting(rows []int) string {
	byState := [...]string{"to come", "running", "running", "done", "failed", "failed", "done"}
	n := map[string]int{}
	for _, i := range rows {
		n[byState[l.all[i].State]]++
	}
	var parts []string
	for _, what := range []string{"done", "failed", "running", "to come"} {
		if n[what] > 0 {
			parts = append(parts, fmt.Sprintf("%d more %s", n[what], what))
		}
	}
	return strings.Join(parts, ", ")
}

// jobLooks are the roles of jobs' states; others are dim.
var jobLooks = map[dag.State]role{dag.Running: lane, dag.Succeeded: good, dag.Failed: bad, dag.Killed: bad}

// row returns the row of a job or stage: its marks, name, counts and lane.
func (l *lanes) row(i int) string {
	j := &l.all[i]
	picked, critical, look, name := " ", " ", plain, l.foreign(j.Node)
	if i == l.selected {
		picked, look = signPicked, pick
	}
	if j.Critical {
		critical = signCritical
	}
	if i >= len(l.f.Jobs) {
		look, name = dim, cutName(name, l.name)
	}
	m := text(strong, picked) + text(path, critical) + text(cmp.Or(jobLooks[j.State], dim), signStates[j.State])
	return l.beside(m, text(look, name), counts(j)) + l.lane(j)
}

// mapReduce reports whether the counts are of maps and reduces: if a job has these, or no job is known.
func (p *pen) mapReduce() bool {
	isMapReduce := func(j frame.Job) bool { return j.IsMapReduce() }
	return len(p.f.Jobs) == 0 || slices.ContainsFunc(p.f.Jobs, isMapReduce)
}

// counted returns the heading of the counts.
func (p *pen) counted() string {
	if p.mapReduce() {
		return fmt.Sprintf("%7s %7s", "maps", "reduces")
	}
	return fmt.Sprintf("%7s %7s", "tasks", "")
}

// counts returns how many maps and reduces are done; for a job with other stages, how many tasks.
func counts(j *frame.Job) string {
	if j.IsMapReduce() {
		return fmt.Sprintf("%7s %7s", tally(j.Maps), tally(j.Reduces))
	}
	return fmt.Sprintf("%7s %7s", tally(j.Count()), "")
}

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
