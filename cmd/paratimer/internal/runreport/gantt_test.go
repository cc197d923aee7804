package runreport

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// TestLegendIsShort checks that a legend with one entry on each line is no longer than the chart.
func TestLegendIsShort(t *testing.T) {
	t.Parallel()
	s := largest()
	s.Chart.Panels[0].Rows = s.Chart.Panels[0].Rows[:3]
	for i := range s.Chart.Panels[0].Bars {
		s.Chart.Panels[0].Bars[i].Row, s.Chart.Panels[0].Bars[i].Rows = i%3, 1
	}
	f := s.Chart.Inline()
	height := regexp.MustCompile(`height="([0-9.]+)"`).FindStringSubmatch(string(f.Drawing))
	jobs, _, _ := strings.Cut(string(f.Legend), "</ul>")
	entries := strings.Count(jobs, "<li")
	if n, err := strconv.ParseFloat(height[1], 64); err != nil || entries == 0 || float64(entries)*26 > n {
		t.Errorf("%d entries stand below %s pixels of chart", entries, height[1])
	}
}

// TestMergedBars checks that no fragments are offered when the bars do not name theirs.
func TestMergedBars(t *testing.T) {
	t.Parallel()
	s := sample()
	s.Chart.Merged = true
	for i := range s.Chart.Panels {
		for j := range s.Chart.Panels[i].Bars {
			s.Chart.Panels[i].Bars[j].Fragment, s.Chart.Panels[i].Bars[j].Round = nil, nil
		}
	}
	f := s.Chart.Inline()
	if !strings.Contains(string(f.Before), `for="fragments" hidden`) || strings.Contains(string(f.Legend), "legend parts") {
		t.Error("the page offers fragments that no bar shows")
	}
	s.Chart.Panels[0].Bars[0].Fragment = of(1)
	if f = s.Chart.Inline(); strings.Contains(string(f.Before), "hidden") || !strings.Contains(string(f.Legend), "legend parts") {
		t.Error("the page does not offer fragments")
	}
}

// TestSpike checks that one wide range neither leaves the drawing nor presses the rest to the floor, and that a lone
// range is seen.
func TestSpike(t *testing.T) {
	t.Parallel()
	s := sample()
	s.PredictionHistory.Points[30].HighSeconds = of(frame.Seconds(9000))
	drawing := string(courseOf(s).Drawing) + string(courseOf(s).Legend)
	truth, _, _ := strings.Cut(drawing[strings.Index(drawing, `class="truth"`):], "/>")
	var y float64
	if _, err := fmt.Sscan(regexp.MustCompile(`y1="([0-9.]+)"`).FindStringSubmatch(truth)[1], &y); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(drawing, "cut off: it reaches 2h30m") || y < 10 || y > 0.75*240 {
		t.Errorf("got the actual length at %v in\n%s", y, drawing)
	}
	for _, band := range regexp.MustCompile(`class="band80" points="([^"]*)"`).FindAllStringSubmatch(drawing, -1) {
		for _, p := range strings.Fields(band[1]) {
			var x, y float64
			if _, err := fmt.Sscanf(p, "%g,%g", &x, &y); err != nil || y < 0 || y > 240 {
				t.Fatalf("the range reaches %s: %v", p, err)
			}
		}
	}
	lone := s.PredictionHistory.Points[40]
	s.PredictionHistory.Points = []Point{{AtSeconds: 10}, lone, {AtSeconds: 60}}
	alone := string(courseOf(s).Drawing)
	if band := regexp.MustCompile(`class="band80" points="([^"]*)"`).FindStringSubmatch(alone); band == nil ||
		len(strings.Fields(band[1])) != 4 {
		t.Errorf("a lone range is drawn as %v", band)
	}
}
