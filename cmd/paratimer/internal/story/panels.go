package story

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/gantt"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// A look is what a reader can tell apart of bars. Where there are too many of them, fragments and rounds are not told apart.
type look struct {
	job, fragment, round int32
	kind                 dag.Kind
	outcome              Outcome
	critical             bool
}

// The size of a chart in pixels, by which bars are too small to be told apart.
const (
	chartWidth  = 2000
	chartHeight = 800
)

// panels lays out the rows: map slots and reduce slots, or containers of both.
func (d *drawing) panels(c *Chart) {
	type group struct {
		title string
		kinds []dag.Kind
	}
	groups := []group{{"map slots", []dag.Kind{dag.Map}}, {"reduce slots", []dag.Kind{dag.Reduce}}}
	if d.s.Plan.Cluster.Policy == dag.YARN {
		groups = []group{{"containers", []dag.Kind{dag.Map, dag.Reduce}}}
	}
	bars, all := make([][]gantt.Bar[look], len(groups)), 0
	for i, g := range groups {
		bars[i] = gantt.Bars(d.sch.Spans, func(s *schedule.Span) bool { return slices.Contains(g.kinds, s.Kind) }, d.look)
		all += len(bars[i])
	}
	for i, g := range groups {
		rows := 0
		for k := range bars[i] {
			rows = max(rows, bars[i][k].To)
		}
		if rows == 0 {
			continue
		}
		p, slots := Panel{Title: g.title, Bars: []Bar{}}, rows
		if all > MostBars {
			c.Merged = true
			for k := range bars[i] {
				bars[i][k].Hue.fragment, bars[i][k].Hue.round = -1, -1
			}
			share := max(1, MostBars*len(bars[i])/all)
			bars[i], rows = gantt.Fit(bars[i], rows, share, d.sch.End-d.sch.Now, chartWidth, chartHeight)
		}
		if rows > MostRows {
			c.Merged = true
			bars[i], rows = gantt.Merge(bars[i], rows, MostRows, 0), MostRows
		}
		p.Rows = d.labels(slots, rows)
		slices.SortStableFunc(bars[i], func(a, b gantt.Bar[look]) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Row, b.Row))
		})
		for k := range bars[i] {
			p.Bars = append(p.Bars, d.bar(&bars[i][k]))
		}
		c.Panels = append(c.Panels, p)
	}
}

func (d *drawing) look(i int, s *schedule.Span) look {
	l := look{job: s.Job, kind: s.Kind, outcome: d.outcome(s), fragment: d.fragment[i], round: d.round[i]}
	l.critical = l.fragment >= 0 && d.onPath[l.fragment]
	return l
}

// attempt is a span's first attempt, nil of one that is to come.
func (d *drawing) attempt(job int32, k dag.Kind, task, number int32) *dag.Attempt {
	list := d.s.Jobs[job].Phase(k).Attempts
	i, found := slices.BinarySearchFunc(list, [2]int32{task, number}, func(a dag.Attempt, to [2]int32) int {
		return cmp.Or(cmp.Compare(a.Task, to[0]), cmp.Compare(a.Number, to[1]))
	})
	if !found {
		return nil
	}
	return &list[i]
}

func (d *drawing) outcome(s *schedule.Span) Outcome {
	a := d.attempt(s.Job, s.Kind, s.First, s.Attempt)
	switch {
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

func (d *drawing) bar(b *gantt.Bar[look]) Bar {
	sp := &d.sch.Spans[b.Span]
	out := Bar{
		Row: b.Row, Rows: b.To - b.Row, StartSeconds: d.seconds(b.Start), EndSeconds: d.seconds(b.End), Job: d.jobs[sp.Job], Phase: sp.Kind,
		Tasks: b.Tasks, Outcome: b.Hue.outcome, Critical: b.Hue.critical, Name: view.Many(b.Tasks, sp.Kind.String()),
	}
	if b.Tasks == 1 {
		out.Name = attemptName(d.s, int(sp.Job), sp.Kind, b.First, sp.Attempt)
		if a := d.attempt(sp.Job, sp.Kind, b.First, sp.Attempt); a != nil && sp.Kind == dag.Reduce && a.CopyEnd.Known() && a.CopyEnd >= a.Start {
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

// labels names rows: slots by number; containers by their node, where there are several, and by number on it. A row that stands for
// several has the first one's and the last one's.
func (d *drawing) labels(slots, rows int) []string {
	nodes, hosts := map[int32]int{}, map[int32]string{}
	containers := make([]string, len(d.sch.Nodes))
	for i, node := range d.sch.Nodes {
		if nodes[node]++; nodes[node] == 1 {
			hosts[node] = d.host(node)
		}
		containers[i] = strings.TrimSpace(fmt.Sprint(hosts[node], " ", nodes[node]))
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

// host is a node's name without its port and, if it is no number, its domain; where several nodes have that, their ports. It is empty where the
// node is not known or the only one.
func (d *drawing) host(node int32) string {
	if node < 0 || int(node) >= len(d.s.Nodes) || len(d.s.Nodes) < 2 {
		return ""
	}
	short := shortHost(d.s.Nodes[node].Name)
	for i := range d.s.Nodes {
		if i != int(node) && shortHost(d.s.Nodes[i].Name) == short {
			if _, port, ok := strings.Cut(d.s.Nodes[node].Name, ":"); ok {
				return ":" + port
			}
			return d.s.Nodes[node].Name
		}
	}
	return short
}

func shortHost(name string) string {
	host, _, _ := strings.Cut(name, ":")
	if strings.Trim(host, "0123456789.") == "" {
		return host
	}
	short, _, _ := strings.Cut(host, ".")
	return short
}
