package screen

import (
	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// stageRows returns the stages of a query that is one job for its engine, such as an application of Spark. If there
// are more stages than rows, it returns those around the first one that is not done.
func (p *pen) stageRows(g gutter, rows int) []line {
	if !p.f.IsWhole() || rows <= 0 {
		return nil
	}
	stages := p.f.Jobs[0].Stages
	from := 0
	for from < len(stages) && done(stages[from].Tasks) {
		from++
	}
	from = max(0, min(from-1, len(stages)-rows))
	var out []line
	for k := from; k < min(len(stages), from+rows); k++ {
		out = append(out, p.stageRow(g, k))
	}
	return out
}

func done(t frame.Tasks) bool { return t.Total != nil && t.Done >= *t.Total }

// stageRow returns a stage's row: its state, name, counts and lane.
func (p *pen) stageRow(g gutter, k int) line {
	j := &p.f.Jobs[0]
	s := &j.Stages[k]
	state, r := dag.Blocked, dim
	switch {
	case done(s.Tasks):
		state, r = dag.Succeeded, good
	case s.Running > 0 || s.Done > 0:
		state, r = dag.Running, lane
	}
	only := *j
	only.Stretches = nil
	for _, st := range j.Stretches {
		if st.Phase.Pause == dag.NoPause && int(st.Phase.Stage) == k {
			st.Phase.Stage = 0 // in the upper half
			only.Stretches = append(only.Stretches, st)
		}
	}
	t := p.track()
	p.phases(t, &only, chain{})
	p.through(t)
	m := text(plain, "  ").and(text(r, p.g.state(state)))
	return g.left(m, text(dim, p.inner(p.foreign(s.Name), g.name)), text(dim, counted(tally(s.Tasks), "")),
		p.tail).and(t.line())
}

// inner shortens a name in the middle: names of a program's stages often differ only at their ends.
func (p *pen) inner(name string, width int) string {
	n := cells(name)
	if n <= width || width < 4 {
		return name
	}
	end := (width - 1) * 2 / 3
	return ansi.Truncate(name, width-1-end, "") + p.tail + ansi.TruncateLeft(name, n-end, "")
}
