package runreport

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
)

// largest is the report of 100,000 tasks: as many bars and points as it ever has.
func largest() *Report {
	s := sample()
	for i := range 300 {
		j := s.Jobs[i%3]
		j.Node, j.ID = fmt.Sprintf("scope-%d", i), of(fmt.Sprintf("job_1795222440184_%04d", i))
		s.Jobs, s.Chart.Jobs = append(s.Jobs, j), append(s.Chart.Jobs, chart.Job{Name: j.Node})
	}
	c := &s.Chart
	c.Merged, c.Fragments, c.Critical = true, nil, nil
	for i := range 400 {
		from := frame.Seconds(i) / 4
		c.Fragments = append(c.Fragments, chart.Fragment{
			Jobs: []string{s.Jobs[i%300].Node}, Width: 400, Rounds: 3,
			StartSeconds: from, EndSeconds: from + 1, Critical: i%2 == 0,
		})
		c.Critical = append(c.Critical, chart.Segment{
			Fragment: i, Title: "maps of " + s.Jobs[i%300].Node,
			StartSeconds: from, EndSeconds: from + .25,
		})
	}
	p := &c.Panels[0]
	p.Rows, p.Bars = nil, nil
	for i := range 2000 {
		p.Rows = append(p.Rows, fmt.Sprintf("node-%04d.example.org %d", i/8, i%8))
	}
	for i := range 6000 {
		from := frame.Seconds(i/60) + .123
		p.Bars = append(p.Bars, chart.Bar{
			Row: i % 60 * 33, Rows: 33, StartSeconds: from, EndSeconds: from + .871, Job: i % 300,
			Phase: frame.Phase{Stage: dag.StageIndex(i % 2), Name: dag.MapReduceName(dag.StageIndex(i % 2))}, Tasks: 33,
			Name: "33 tasks", Outcome: chart.OK, Fragment: of(i % 400), Round: of(i % 3), Critical: i%7 == 0,
		})
	}
	m := s.PredictionHistory.Points[60]
	s.PredictionHistory.Points = nil
	for i := range MostPoints {
		m.AtSeconds = frame.Seconds(i) / 12
		s.PredictionHistory.Points = append(s.PredictionHistory.Points, m)
	}
	part := s.TimeAttribution.Parts[1]
	s.TimeAttribution.Parts = nil
	for i := range 1000 {
		part.StartSeconds, part.EndSeconds, part.Cause = frame.Seconds(i)/10, frame.Seconds(i+1)/10,
			[]string{"launch", "work", "skew"}[i%3]
		s.TimeAttribution.Parts = append(s.TimeAttribution.Parts, part)
	}
	return s
}

// A page is small: what it is made of takes a tenth of what is allowed, and the largest run stays a file that people
// send.
func TestPageSize(t *testing.T) {
	frameOnly := len(written(t, &Report{}))
	if frameOnly > 60_000 {
		t.Errorf("a page without a run is %d bytes", frameOnly)
	}
	small, most := len(written(t, sample())), len(written(t, largest()))
	if small > 500_000 || most > 5_000_000 {
		t.Errorf("a small run takes %d bytes, the largest %d", small, most)
	}
	t.Logf("without a run %d bytes, a small run %d, 100,000 tasks %d", frameOnly, small, most)
	page := written(t, largest())
	if n := strings.Count(page, `<g class="bars`); n > 2000 {
		t.Errorf("%d groups of colour", n)
	}
}

func BenchmarkWrite(b *testing.B) {
	s := largest()
	b.ReportAllocs()
	for b.Loop() {
		var w bytes.Buffer
		if err := Of(s, "", time.UTC).HTML(&w); err != nil {
			b.Fatal(err)
		}
	}
}
