package screen

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// A gutter is the columns before the lanes: marks, the job's name, its counts.
type gutter struct{ name, counts int }

// mapReduce reports whether the counts are of maps and reduces: if a job has these, or no job is known.
func (p *pen) mapReduce() bool {
	return len(p.f.Jobs) == 0 || slices.ContainsFunc(p.f.Jobs, func(j frame.Job) bool { return j.IsMapReduce() })
}

// counted returns the heading of the counts.
func (p *pen) counted() string {
	if p.mapReduce() {
		return counted("maps", "reduces")
	}
	return counted("tasks", "")
}

// marks are the cells for the signs of selected, critical and state, with a blank after them.
const marks = 4

// countsFrom is the width from which tasks are counted beside the names.
const countsFrom = 72

// gutterOf makes room for the names, within a share of the width.
func (p *pen) gutterOf() gutter {
	w := p.s.Width
	most := min(max(w/5, 8), 32)
	g := gutter{name: min(8, most)}
	for i := range p.f.Jobs {
		g.name = min(max(g.name, cells(p.foreign(p.f.Jobs[i].Node))), most)
		if w >= countsFrom {
			g.counts = max(g.counts, cells(counts(&p.f.Jobs[i])))
		}
	}
	if p.f.IsWhole() {
		for i := range p.f.Jobs[0].Stages {
			g.name = min(max(g.name, cells(p.foreign(p.f.Jobs[0].Stages[i].Name))), most)
		}
	}
	if w >= countsFrom {
		g.counts = max(g.counts, len(p.counted()))
	}
	return g
}

// cells returns the gutter's width, with the blank after it.
func (g gutter) cells() int {
	n := marks + g.name + 1
	if g.counts > 0 {
		n += g.counts + 1
	}
	return n
}

// left returns the gutter of a lane.
func (g gutter) left(m line, name line, counts line, tail string) line {
	l := m.pad(marks).and(name.cut(g.name, tail).pad(g.name))
	if g.counts > 0 {
		l = l.and(text(plain, " "), counts.cut(g.counts, tail).pad(g.counts))
	}
	return l.and(text(plain, " "))
}

// whole returns a gutter with words in place of name and counts.
func (g gutter) whole(words line, tail string) line {
	return text(plain, "").pad(marks).and(words).cut(g.cells()-1, tail).pad(g.cells())
}

// counts returns how many maps and reduces are done; for a job with other stages, how many tasks.
func counts(j *frame.Job) string {
	if !j.IsMapReduce() {
		known, all := j.Known()
		if !all {
			known.Total = nil
		}
		return counted(tally(known), "")
	}
	m, r := tally(j.Maps), tally(j.Reduces)
	if m == "" && r == "" {
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

// rowOf returns a job's row: its marks, name, counts and lane.
func (p *pen) rowOf(g gutter, i int) line {
	j := &p.f.Jobs[i]
	picked, critical, name := " ", " ", plain
	if i == p.job {
		picked, name = string(p.g.picked), pick
	}
	if j.Critical {
		critical = string(p.g.critical)
	}
	m := text(strong, picked).and(text(path, critical), text(p.roleOf(j), p.g.state(j.State)))
	return g.left(m, text(name, p.foreign(j.Node)), text(plain, counts(j)), p.tail).and(p.lane(i))
}

// roleOf returns the role of a job's state.
func (p *pen) roleOf(j *frame.Job) role {
	switch j.State {
	case dag.Failed, dag.Killed:
		return bad
	case dag.Running:
		return lane
	case dag.Succeeded:
		return good
	}
	return dim
}
