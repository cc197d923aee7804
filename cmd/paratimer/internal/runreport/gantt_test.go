package runreport

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// TestTones holds that the color is the job, the shade its stage, and that a single DAG of many stages has a color for
// each.
func TestTones(t *testing.T) {
	t.Parallel()
	s := sample()
	tones := tonesOf(s)
	if a, b, c := tones.of(0, 0), tones.of(0, 1), tones.of(2, 1); a != "k0 s0" || b != "k0 s3" || c != "k2 s3" {
		t.Errorf("tones %q, %q and %q", a, b, c)
	}
	if got := tones.of(99, 0); got != "" {
		t.Errorf("a job that nobody knows has the tone %q", got)
	}
	all, more := tones.legend(2)
	if len(all) != 3 || more != 1 || len(all[0].Tones) != 2 || len(all[2].Tones) != 0 {
		t.Errorf("the legend is %+v and %d more", all, more)
	}
	s.Jobs = s.Jobs[:1]
	s.Jobs[0].Stages = make([]frame.Stage, 12)
	for i := range s.Chart.Panels[0].Bars {
		s.Chart.Panels[0].Bars[i].Job, s.Chart.Panels[0].Bars[i].Phase.Stage = 0, dag.StageIndex(i%12)
	}
	tones = tonesOf(s)
	if a, b := tones.of(0, 1), tones.of(0, 9); a != "k1 s3" || b != "k1 s2" {
		t.Errorf("stages of a DAG have the tones %q and %q", a, b)
	}
}

// TestLegendIsShort holds that a legend with one entry on each line is no longer than the chart.
func TestLegendIsShort(t *testing.T) {
	t.Parallel()
	s := largest()
	s.Chart.Panels[0].Rows = s.Chart.Panels[0].Rows[:3]
	for i := range s.Chart.Panels[0].Bars {
		s.Chart.Panels[0].Bars[i].Row, s.Chart.Panels[0].Bars[i].Rows = i%3, 1
	}
	g := ganttOf(s)
	height := regexp.MustCompile(`height="([0-9.]+)"`).FindStringSubmatch(string(g.Inline()))
	if n, err := strconv.ParseFloat(height[1], 64); err != nil || float64(len(g.Legend)+1)*26 > n {
		t.Errorf("%d entries stand below %s pixels of chart", len(g.Legend), height[1])
	}
}

// TestMergedBars holds that no fragments are offered when the bars do not name theirs.
func TestMergedBars(t *testing.T) {
	t.Parallel()
	s := sample()
	s.Chart.Merged = true
	for i := range s.Chart.Panels {
		for j := range s.Chart.Panels[i].Bars {
			s.Chart.Panels[i].Bars[j].Fragment, s.Chart.Panels[i].Bars[j].Round = nil, nil
		}
	}
	if g := ganttOf(s); len(g.Fragments) > 0 || len(g.Legend) == 0 {
		t.Errorf("the legends are %v and %v", g.Legend, g.Fragments)
	}
	page := written(t, s)
	if strings.Contains(page, "Color by path fragment instead") {
		t.Error("the page offers fragments that no bar shows")
	}
}

// TestSpike holds that one wide range neither leaves the drawing nor presses the rest to the floor, and that a lone
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
		t.Errorf("the actual length lies at %v of\n%s", y, drawing)
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
