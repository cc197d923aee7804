package runreport

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/cost"
)

// large is a query of 100,000 tasks on 1,500 slots.
const large = `
version: 1
name: large
cluster: {map_slots: 1000, reduce_slots: 500, slots_per_node: 4}
jobs:
  - {name: a, map: {tasks: 60000, records: 1000, cost: 20ms}, reduce: {tasks: 2000, records: 3000, cost: 20ms}}
  - {name: b, map: {tasks: 30000, records: 1000, cost: 20ms}, reduce: {tasks: 1000, records: 3000, cost: 20ms}}
  - {name: c, after: [a, b], map: {tasks: 6000, records: 1000, cost: 20ms}, reduce: {tasks: 1000, records: 3000, cost: 20ms}}
`

// gather sees a simulated run up to a time of it, 0 for all of it, each five minutes.
func gather(tb testing.TB, until time.Duration) *Collector {
	tb.Helper()
	plan, err := planfile.Read(strings.NewReader(large), planfile.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	src, err := simulate.New(plan, simulate.Options{Start: at(0), Every: 5 * time.Minute, Noise: 0.2, FailRate: 0.05})
	if err != nil {
		tb.Fatal(err)
	}
	g := &Collector{From: "large", Model: cost.Costs}
	var run dag.Run
	for {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return g
		}
		if err != nil {
			tb.Fatal(err)
		}
		run = run.Append(s)
		f := frame.Frame{
			At: frame.TimeOf(s.At), Workflow: frame.Workflow{State: s.State},
			ElapsedSeconds: frame.Since(s.At, s.Origin()),
		}
		for j := range s.Plan.Jobs {
			f.Jobs = append(f.Jobs, frame.Job{Node: s.Plan.Jobs[j].Node, State: s.Jobs[j].State})
		}
		if err := g.Show(frame.Tick{Snapshot: s, Run: run, Frame: f}); err != nil {
			tb.Fatal(err)
		}
		if until > 0 && s.At >= at(until.Seconds()) {
			return g
		}
	}
}

// BenchmarkReport is the report of 100,000 tasks, from what was collected: after the end, and in the middle of the run.
func BenchmarkReport(b *testing.B) {
	for _, c := range []struct {
		name  string
		until time.Duration
	}{{"ended", 0}, {"running", 20 * time.Minute}} {
		b.Run(c.name, func(b *testing.B) {
			g := gather(b, c.until)
			var s *Report
			for b.Loop() {
				var err error
				if s, err = g.Report(); err != nil {
					b.Fatal(err)
				}
			}
			var size counter
			if err := s.JSON(&size); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(size), "JSON-B")
		})
	}
}

// BenchmarkTake measures the cost of a snapshot of 100,000 tasks for a collector.
func BenchmarkTake(b *testing.B) {
	g := gather(b, 20*time.Minute)
	s := g.run.Now()
	for b.Loop() {
		again := *s
		again.At++
		g.marks.see(&again)
		g.waits.See(&again)
	}
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }
