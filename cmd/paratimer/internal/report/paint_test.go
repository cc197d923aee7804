package report

import (
	"strings"
	"testing"
)

// TestMergedBars holds that of bars which do not tell their fragments the colours stand for phases of jobs, in the legend too.
func TestMergedBars(t *testing.T) {
	s := sample()
	s.Chart.Merged = true
	for i := range s.Chart.Panels {
		for j := range s.Chart.Panels[i].Bars {
			s.Chart.Panels[i].Bars[j].Fragment, s.Chart.Panels[i].Bars[j].Round = nil, nil
		}
	}
	p := paintOf(s)
	if !p.byPhase || p.of(&s.Chart.Panels[0].Bars[0]) == 0 {
		t.Error("bars have no colour")
	}
	for i := range s.Chart.Fragments {
		if f := &s.Chart.Fragments[i]; f.Width > 0 && p.phaseIn(s, f) >= 0 && p.phase[p.phaseIn(s, f)] != p.ofFragment(i) {
			t.Errorf("fragment %d has another colour than its phase", i)
		}
	}
	all, _ := p.legend(s)
	if len(all) == 0 {
		t.Error("the legend is empty")
	}
	for _, e := range all {
		if strings.Contains(e.Text, "at once") {
			t.Errorf("the legend tells of a fragment that no bar shows: %s", e.Text)
		}
	}
}
