package runreport

import (
	"cmp"
	"fmt"
	"math"
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
	stage                dag.StageIndex
	outcome              chart.Outcome
	critical             bool
}

// A piece is a bar to be: tasks of a span in neighboring rows.
type piece struct {
	look
	span       int   // the first, if pieces of several are merged
	first      int32 // the first task of the span
	tasks      int
	row, to    int // rows row to to-1
	start, end dag.Instant
}

// The size of a chart in pixels. It decides which bars are too small to be distinguished.
const (
	chartWidth  = 2000
	chartHeight = 800
)

// panels fills in the rows: one panel for map slots and one for reduce slots, or one for the pool of containers or
// cores. Panels without tasks are left out.
func (d *drawing) panels(g *chart.Gantt) {
	titles := []string{"map slots", "reduce slots"}
	switch d.s.Plan.Cluster.Policy {
	case dag.YARN:
		titles = []string{"containers"}
	case dag.Executors:
		titles = []string{"cores"}
	}
	sch, all := d.path.Schedule, 0
	panels, slots := make([][]piece, len(titles)), make([]int, len(titles))
	for i := range sch.Spans {
		if s := &sch.Spans[i]; s.Pause == dag.NoPause {
			at := min(int(s.Stage), len(titles)-1)
			for _, p := range d.pieces(i) {
				panels[at], slots[at], all = append(panels[at], p), max(slots[at], p.to), all+1
			}
		}
	}
	g.Merged = all > MostBars || slices.Max(slots) > MostRows
	for i, pieces := range panels {
		if len(pieces) == 0 {
			continue
		}
		p, rows := chart.Panel{Title: titles[i], Bars: []chart.Bar{}}, slots[i]
		if all > MostBars {
			for k := range pieces {
				pieces[k].fragment, pieces[k].round = -1, -1
			}
			pieces, rows = fit(pieces, rows, max(1, MostBars*len(pieces)/all), sch.End-sch.Now)
		}
		if rows > MostRows {
			pieces, rows = merge(pieces, rows, MostRows, 0), MostRows
		}
		p.Rows = d.labels(slots[i], rows)
		slices.SortStableFunc(pieces, func(a, b piece) int {
			return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.row, b.row))
		})
		for k := range pieces {
			p.Bars = append(p.Bars, d.bar(&pieces[k]))
		}
		g.Panels = append(g.Panels, p)
	}
}

// pieces splits a span into runs of neighboring slots. Tasks with unknown slots are left out.
func (d *drawing) pieces(i int) (out []piece) {
	s := &d.path.Schedule.Spans[i]
	l := look{job: s.Job, stage: s.Stage, outcome: d.outcome(s), fragment: d.fragment[i], round: d.round[i]}
	l.critical = l.fragment >= 0 && d.onPath[l.fragment]
	for k, slot := range s.Slots {
		if n := len(out); n > 0 && k > 0 && slot == s.Slots[k-1]+1 && out[n-1].to == int(slot) {
			out[n-1].tasks++
			out[n-1].to++
		} else if slot >= 0 {
			out = append(out, piece{
				look: l, span: i, first: s.First + int32(k), tasks: 1, row: int(slot), to: int(slot) + 1,
				start: s.Start, end: s.End,
			})
		}
	}
	return out
}

// outcomes are those of attempts; others are OK.
var outcomes = map[dag.AttemptState]chart.Outcome{
	dag.AttemptWaiting: chart.Expected, dag.AttemptRunning: chart.Running, dag.AttemptFailed: chart.Failed,
	dag.AttemptKilled: chart.Killed,
}

func (d *drawing) outcome(s *schedule.Span) chart.Outcome {
	if d.planned {
		return chart.OK
	}
	a := dag.FindAttempt(d.s.Attempts(int(s.Job), s.Stage), s.First, s.Attempt)
	if a == nil {
		return chart.Expected
	}
	return cmp.Or(outcomes[a.State], chart.OK)
}

// fit merges pieces until at most `most` are left. It returns them with the new number of rows. Pieces closer than a
// gap are merged; the gap starts at half a pixel and doubles.
func fit(pieces []piece, rows, most int, length dag.Instant) ([]piece, int) {
	for gap := 0.5; len(pieces) > most && gap < chartWidth; gap *= 2 {
		fewer := min(rows, int(chartHeight/gap)+1)
		pieces, rows = merge(pieces, rows, fewer, dag.Instant(float64(length)/chartWidth*gap)), fewer
	}
	return pieces, rows
}

// merge maps pieces to fewer rows, and joins those of a look that follow each other in a row with a gap of at most
// near.
func merge(pieces []piece, rows, fewer int, near dag.Instant) (out []piece) {
	per := float64(rows) / float64(fewer)
	cells := slices.Clone(pieces)
	for i := range cells {
		p := &cells[i]
		from, to := int(float64(p.row)/per), int(math.Ceil(float64(p.to)/per))
		p.row, p.to = min(from, fewer-1), min(max(to, from+1), fewer)
	}
	slices.SortFunc(cells, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.to, b.to), cmp.Compare(a.start, b.start),
			cmp.Compare(a.end, b.end), cmp.Compare(a.span, b.span), cmp.Compare(a.first, b.first))
	})
	open := map[look]int{} // index of the last piece of each look in the row
	for _, p := range cells {
		if n := len(out); n > 0 && (out[n-1].row != p.row || out[n-1].to != p.to) {
			clear(open)
		}
		if i, ok := open[p.look]; ok && p.start <= out[i].end+near {
			out[i].end = max(out[i].end, p.end)
			out[i].tasks += p.tasks
			continue
		}
		open[p.look] = len(out)
		out = append(out, p)
	}
	return out
}

func (d *drawing) bar(p *piece) chart.Bar {
	sp := &d.path.Schedule.Spans[p.span]
	out := chart.Bar{
		Row: p.row, Rows: p.to - p.row, StartSeconds: d.seconds(p.start), EndSeconds: d.seconds(p.end),
		Job: d.jobs[sp.Job], Phase: frame.PhaseOf(d.s.Plan, int(sp.Job), sp.Stage, sp.Pause),
		Tasks: p.tasks, Outcome: p.outcome, Critical: p.critical,
		Name: units.Tasks(p.tasks, view.Escape(sp.What(d.s.Plan))),
	}
	if p.tasks == 1 && d.planned {
		out.Name = schedule.TaskName(d.s.Plan, int(sp.Job), sp.Stage, int(p.first), int(sp.Attempt))
	} else if p.tasks == 1 {
		out.Name = attemptName(d.s, int(sp.Job), sp.Stage, p.first, sp.Attempt)
		if a := dag.FindAttempt(d.s.Attempts(int(sp.Job), sp.Stage), p.first, sp.Attempt); a != nil &&
			d.s.Plan.Jobs[sp.Job].Stages[sp.Stage].Copies() && a.CopyEnd.Known() && a.CopyEnd >= a.Start {
			out.CopiedSeconds = new(d.seconds(a.CopyEnd))
		}
	}
	if f := p.fragment; f >= 0 && d.known[f] >= 0 {
		out.Fragment, out.Round = new(d.known[f]), new(int(p.round))
	}
	return out
}

// labels names rows: slots by number; containers by their node, if there are several nodes, and by number on it. A
// merged row has the first and the last label.
func (d *drawing) labels(slots, rows int) []string {
	count := map[string]int{}
	containers := make([]string, len(d.path.Schedule.Nodes))
	for i, node := range d.path.Schedule.Nodes {
		host := d.host(node)
		count[host]++
		containers[i] = strings.TrimSpace(fmt.Sprint(host, " ", count[host]))
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
