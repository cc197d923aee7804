package chart

import (
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// bars returns a bar for each pair of a job and a stage.
func bars(of ...[2]int) (all []Bar) {
	for _, b := range of {
		all = append(all, Bar{Job: b[0], Phase: frame.Phase{Stage: dag.StageIndex(b[1])}}) //nolint:gosec // small
	}
	return all
}

// TestTones checks that the color is the job, the shade its stage, and that a single DAG of many stages has a color for
// each.
func TestTones(t *testing.T) {
	t.Parallel()
	g := Gantt{
		Jobs:   []Job{{Name: "clicks"}, {Name: "users"}, {Name: "join"}},
		Panels: []Panel{{Bars: bars([2]int{0, 0}, [2]int{1, 1}, [2]int{2, 1})}},
	}
	p := g.plot()
	if a, b, c := p.tone(0, 0), p.tone(0, 1), p.tone(2, 1); a != "k0 s0" || b != "k0 s3" || c != "k2 s3" {
		t.Errorf("tones %q, %q and %q", a, b, c)
	}
	if got := p.tone(99, 0); got != "" {
		t.Errorf("an unknown job has the tone %q", got)
	}
	all, more := p.toneEntries(2)
	if len(all) != 3 || more != 1 || all[0].text != "clicks" || all[2].swatch != "" {
		t.Errorf("the legend is %+v and %d more", all, more)
	}
	g.Jobs, g.Panels[0].Bars = []Job{{Name: "dag", Stages: make([]string, 12)}}, bars([2]int{0, 1}, [2]int{0, 9})
	p = g.plot()
	if a, b := p.tone(0, 1), p.tone(0, 9); a != "k1 s3" || b != "k1 s2" {
		t.Errorf("stages of a DAG have the tones %q and %q", a, b)
	}
}
