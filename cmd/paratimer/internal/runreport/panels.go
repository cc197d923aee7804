package runreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// A look is the appearance of a bar: bars of one look may be merged. With too many bars, fragments and rounds look
// the same.
type look struct {
	job, fragment, round int32
	kind                 dag.StageIndex
	outcome              Outcome
	critical             bool
}

// The size of a chart in pixels. It decides which bars are too small to be distinguished.
const (
	chartWidth  = 2000
	chartHeight = 800
)

// panels fills in the rows: map slots and reduce slots, or containers of both.
func (d *drawing) panels(c *Chart) {
	panels, all := chart.Panels(d.s.Plan.Cluster.Policy, d.sch.Spans, d.look), 0
	for _, from := range panels {
		all += len(from.Bars)
	}
	for _, from := range panels {
		p, bars, rows := Panel{Title: from.Title, Bars: []Bar{}}, from.Bars, from.Slots
		if all > MostBars {
			c.Merged = true
			for k := range bars {
				bars[k].Hue.fragment, bars[k].Hue.round = -1, -1
			}
			share := max(1, MostBars*len(bars)/all)
			bars, rows = chart.Fit(bars, rows, share, d.sch.End-d.sch.Now, chartWidth, chartHeight)
		}
		if rows > MostRows {
			c.Merged = true
			bars, rows = chart.Merge(bars, rows, MostRows, 0), MostRows
		}
		p.Rows = d.labels(from.Slots, rows)
		slices.SortStableFunc(bars, func(a, b chart.Bar[look]) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Row, b.Row))
		})
		for k := range bars {
			p.Bars = append(p.Bars, d.bar(&bars[k]))
		}
		c.Panels = append(c.Panels, p)
	}
}

func (d *drawing) look(i int, s *schedule.Span) look {
	l := look{job: s.Job, kind: s.Stage, outcome: d.outcome(s), fragment: d.fragment[i], round: d.round[i]}
	l.critical = l.fragment >= 0 && d.onPath[l.fragment]
	return l
}

func (d *drawing) outcome(s *schedule.Span) Outcome {
	a := dag.FindAttempt(d.s.Attempts(int(s.Job), s.Stage), s.First, s.Attempt)
	switch {
	case d.planned:
		return OK
	case a == nil || a.State == dag.AttemptWaiting:
		return Expected
	case a.State == dag.AttemptFailed:
		return Failed
	case a.State == dag.AttemptKilled:
		return Killed
	case a.State == dag.AttemptRunning:
		return Running
	}
	return OK
}

func (d *drawing) bar(b *chart.Bar[look]) Bar {
	sp := &d.sch.Spans[b.Span]
	out := Bar{
		Row: b.Row, Rows: b.To - b.Row, StartSeconds: d.seconds(b.Start), EndSeconds: d.seconds(b.End),
		Job: d.jobs[sp.Job], Phase: frame.PhaseOf(d.s.Plan, int(sp.Job), sp.Stage, sp.Pause),
		Tasks: b.Tasks, Outcome: b.Hue.outcome, Critical: b.Hue.critical,
		Name: units.Tasks(b.Tasks, view.Escape(sp.What(d.s.Plan))),
	}
	if b.Tasks == 1 && d.planned {
		out.Name = schedule.TaskName(d.s.Plan, int(sp.Job), sp.Stage, int(b.First), int(sp.Attempt))
	} else if b.Tasks == 1 {
		out.Name = attemptName(d.s, int(sp.Job), sp.Stage, b.First, sp.Attempt)
		if a := dag.FindAttempt(d.s.Attempts(int(sp.Job), sp.Stage), b.First, sp.Attempt); a != nil &&
			d.s.Plan.Jobs[sp.Job].Stages[sp.Stage].Copies() && a.CopyEnd.Known() && a.CopyEnd >= a.Start {
			at := d.seconds(a.CopyEnd)
			out.CopiedSeconds = &at
		}
	}
	if f := b.Hue.fragment; f >= 0 && d.known[f] >= 0 {
		fragment, round := d.known[f], int(b.Hue.round)
		out.Fragment, out.Round = &fragment, &round
	}
	return out
}

// labels names rows: slots by number; containers by their node, if there are several nodes, and by number on it. A
// merged row has the first and the last label.
func (d *drawing) labels(slots, rows int) []string {
	count := map[int32]int{}
	containers := make([]string, len(d.sch.Nodes))
	for i, node := range d.sch.Nodes {
		count[node]++
		containers[i] = strings.TrimSpace(fmt.Sprint(d.host(node), " ", count[node]))
	}
	label := func(slot int) string {
		if slot < len(containers) {
			return containers[slot]
		}
		return fmt.Sprint(slot)
	}
	out := make([]string, rows)
	for i := range out {
		first, last := i*slots/rows, max((i+1)*slots/rows-1, i*slots/rows)
		if out[i] = label(first); last > first {
			out[i] += " – " + label(last)
		}
	}
	return out
}

// host returns a node's name without its port and, unless it is an IP address, its domain; the whole name if another
// node has the same host. It is empty if the node is unknown or the only one.
func (d *drawing) host(node int32) string {
	if node < 0 || int(node) >= len(d.s.Nodes) || len(d.s.Nodes) < 2 {
		return ""
	}
	name := d.s.Nodes[node].Name
	if executor, _, ok := strings.Cut(name, " on "); ok && d.s.Plan.Cluster.Policy == dag.Executors {
		return strings.Replace(executor, "executor ", "exec ", 1) + "," // followed by the number of the core
	}
	host, _, _ := strings.Cut(name, ":")
	for i := range d.s.Nodes {
		if i != int(node) && strings.HasPrefix(d.s.Nodes[i].Name, host+":") {
			return name
		}
	}
	if short, _, ok := strings.Cut(host, "."); ok && strings.Trim(host, "0123456789.") != "" {
		return short
	}
	return host
}
