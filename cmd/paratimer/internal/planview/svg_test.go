package planview_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/golden"
	"github.com/paratimer/paratimer/schedule"
)

// plot is the size of a drawing along time.
const plot = 1076.0

// A picture is what a test reads of an SVG.
type picture struct {
	rects  []rect // of tasks
	texts  []string
	titles []string
	height float64
}

type rect struct {
	x, y, w, h  float64
	kind, class string // its own class, and its group's
}

// svgOf parses the chart: it must be well-formed, and everything in it must have finite places.
func svgOf(t *testing.T, v *planview.View) picture {
	t.Helper()
	var b bytes.Buffer
	if err := runreport.OfPlan(v).SVG(&b); err != nil {
		t.Fatal(err)
	}
	var d picture
	var open []string
	text, group := "", ""
	for dec := xml.NewDecoder(&b); ; {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return d
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			open, text = append(open, e.Name.Local), ""
			r := rect{class: group}
			for _, a := range e.Attr {
				if to := map[string]*float64{"x": &r.x, "y": &r.y, "width": &r.w, "height": &r.h}[a.Name.Local]; to != nil {
					n, err := strconv.ParseFloat(strings.TrimSuffix(a.Value, "%"), 64)
					if err != nil || n < 0 || n > 1e5 {
						t.Fatalf("%s=%q", a.Name.Local, a.Value)
					}
					if *to = n; strings.HasSuffix(a.Value, "%") {
						*to = n / 100 * plot
					}
				}
				if a.Name.Local == "class" {
					r.kind = a.Value
				}
			}
			switch {
			case e.Name.Local == "g":
				group = r.kind
			case e.Name.Local == "svg" && d.height == 0:
				d.height = r.h
			case e.Name.Local == "rect" && strings.HasPrefix(group, "bars") && len(open) > 2 && open[len(open)-2] == "g":
				d.rects = append(d.rects, r)
			}
		case xml.CharData:
			text += string(e)
		case xml.EndElement:
			switch open[len(open)-1] {
			case "text":
				d.texts = append(d.texts, text)
			case "title":
				d.titles = append(d.titles, text)
			case "g":
				group = ""
			}
			open = open[:len(open)-1]
		}
	}
}

// area returns what the tasks cover.
func (d *picture) area() (all float64) {
	for _, r := range d.rects {
		all += r.w * r.h
	}
	return all
}

// rowOf returns the height of a row.
func rowOf(slots int) float64 { return min(24, 620/float64(slots)) }

func TestSVGRoundsAreRectangles(t *testing.T) {
	for _, c := range []struct{ maps, slots, want int }{{1, 1, 1}, {12, 4, 3}, {13, 4, 4}, {1_000_000, 10_000, 100}} {
		v := planview.ViewOf(t, planview.Uniform(c.maps, c.slots))
		d := svgOf(t, v)
		if len(d.rects) != c.want {
			t.Errorf("%d tasks on %d slots are %d rectangles, want %d", c.maps, c.slots, len(d.rects), c.want)
		}
		for _, r := range d.rects {
			if !strings.HasPrefix(r.class, "bars on ") {
				t.Errorf("a task of the only fragment is of class %q", r.class)
			}
		}
		slot := rowOf(c.slots) * plot / float64((c.maps+c.slots-1)/c.slots)
		if want := float64(c.maps) * slot; d.area() < want*0.99 || d.area() > want*1.01 {
			t.Errorf("%d tasks cover %.0f, want %.0f", c.maps, d.area(), want)
		}
	}
}

func TestSVGOfThePaper(t *testing.T) {
	d := svgOf(t, planview.Example(t, "paper-4.2GB"))
	all := strings.Join(d.texts, "\n")
	for _, want := range []string{
		"paper-4.2GB", "3 jobs, 53 maps, 48 reduces on 16 map slots and 16 reduce slots",
		"j2 maps, 24m14s", "j2 ×12", "25m", "map slots", "reduce slots",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if titles := strings.Join(d.titles, "\n"); !strings.Contains(titles,
		"12 maps, map of j2: 0s – 12m7s (12m7s), round 1 of 2, on the critical path") {
		t.Errorf("tips:\n%s", titles)
	}
}

// However many tasks there are, the chart stays small, and shows how busy the slots are.
func TestSVGIsBounded(t *testing.T) {
	for _, p := range []*dag.Plan{
		planview.Uneven(3000, 50), planview.Uneven(20_000, 3000), planview.Uneven(30_000, 20_000),
	} {
		v := planview.ViewOf(t, p)
		d := svgOf(t, v)
		if n := len(d.rects); n > runreport.MostBars+2 {
			t.Errorf("%d rectangles for %d tasks", n, 2*p.Jobs[0].Stages[dag.Map].Tasks)
		}
		// Merged or not, rectangles cover what the tasks do.
		busy := 0.0
		for _, s := range v.Path.Schedule.Spans {
			busy += float64(s.Count) * float64(s.End-s.Start)
		}
		used := [dag.MapReduceStages]int32{}
		for _, s := range v.Path.Schedule.Spans {
			for _, slot := range s.Slots {
				used[s.Stage] = max(used[s.Stage], slot+1)
			}
		}
		slots := int(used[dag.Map] + used[dag.Reduce])
		want := busy / float64(v.Path.Schedule.End) * plot * rowOf(slots)
		if d.area() < 0.95*want {
			t.Errorf("%d tasks cover %.0f of %.0f", 2*p.Jobs[0].Stages[dag.Map].Tasks, d.area(), want)
		}
		if d.height > 1200 {
			t.Errorf("the chart is %v high", d.height)
		}
	}
}

func TestSVGEscapesNames(t *testing.T) {
	p := planview.Uniform(3, 2)
	p.Name, p.Jobs[0].Node = `</text><script>alert("1")</script>`, "a<b>&'\"\x00\x1b\uFFFE"
	d := svgOf(t, planview.ViewOf(t, p))
	if d.texts[0] != p.Name {
		t.Errorf("the name is %q", d.texts[0])
	}
	if all := strings.Join(d.titles, "\n"); !strings.Contains(all, `a<b>&'"\x00\x1b`) {
		t.Errorf("no escaped name in\n%s", all)
	}
}

func TestSVGOfNothing(t *testing.T) {
	d := svgOf(t, planview.ViewOf(t, planview.Uniform(0, 1)))
	if d.height < 100 || d.texts[0] != "uniform" {
		t.Errorf("%+v", d)
	}
}

func TestSVGOfEveryGoldenCase(t *testing.T) {
	for _, c := range golden.Load(t) {
		v := planview.ViewOfCase(t, c, golden.Start(c.Plan), schedule.Options{})
		d := svgOf(t, v)
		tasks := 0
		for i := range v.Path.Schedule.Spans {
			tasks += int(v.Path.Schedule.Spans[i].Count)
		}
		if n := len(d.titles) - 1 - len(v.Path.Critical); n < len(v.Path.Rounds) || n > tasks {
			t.Errorf("%s: %d rectangles for %d tasks in %d rounds", c.Name, n, tasks, len(v.Path.Rounds))
		}
		for _, r := range d.rects {
			if r.x+r.w > plot+1 {
				t.Errorf("%s: %+v reaches out of the chart", c.Name, r)
			}
		}
	}
}
