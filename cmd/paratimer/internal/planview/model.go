package planview

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/units"
)

// ModelVersion is the version of the JSON of a ModelView; it grows when a field changes its meaning or is no longer
// there.
const ModelVersion = 4

// A ModelView has the results of one or more queueing models, with the limits of jobs and improvements.
// docs/before-a-run.md has its fields. Times are in seconds; unknown is null.
type ModelView struct {
	SchemaVersion int                `json:"schema_version"`
	Name          string             `json:"name"` // of the modeled cluster; "" if the file has none
	Cluster       queueing.Spec      `json:"cluster"`
	Results       []*queueing.Result `json:"results"` // at least one; of the simulation the last
	Bound         *string            `json:"bound"`
	Improvements  []Improvement      `json:"levers"` // empty if they were not computed
	Warnings      []dag.Warning      `json:"warnings"`
}

// NewModelView returns a view of a Spec without results.
func NewModelView(name string, s *queueing.Spec) *ModelView {
	v := &ModelView{SchemaVersion: ModelVersion, Name: name, Cluster: *s}
	v.Cluster.Disks, v.Cluster.ReduceSlots = max(1, s.Disks), max(1, s.ReduceSlots)
	v.Improvements, v.Warnings = []Improvement{}, []dag.Warning{}
	return v
}

// Document shows one result in full, several as a table.
func (v *ModelView) Document() *page.Document {
	c, disks := &v.Cluster, ""
	if c.Disks > 1 {
		disks = units.Count(c.Disks, "disk") + ", "
	}
	d := &page.Document{Title: v.Name}
	d.Add(page.Say(fmt.Sprintf("%s of %s, %s%s and %s each; a reduce takes %s at once", units.Count(c.Nodes, "node"),
		units.Count(c.CPUs, "CPU"), disks, units.Count(c.MapSlots, "map slot"),
		units.Count(c.ReduceSlots, "reduce slot"), units.Count(c.ShuffleThreads, "map output"))))
	if len(v.Results) > 1 {
		d.Add(page.Say(""), v.table())
	} else {
		v.result(d, v.Results[0])
	}
	for _, r := range v.Results {
		say(d, "warning: "+r.Model.String(), r.Warnings)
	}
	say(d, "warning", v.Warnings)
	return d
}

// table has a row for each model. Beside a simulation, the models have their deviation.
func (v *ModelView) table() *page.Table {
	t := &page.Table{Columns: page.Heads("model")}
	for i := range v.Cluster.Jobs {
		t.Columns = append(t.Columns, page.Heads(title(v.Cluster.Jobs[i].Name, v.Cluster.Jobs[i].Copies))...)
	}
	t.Columns = append(t.Columns, page.Heads("busiest", "")...)
	last := v.Results[len(v.Results)-1]
	for _, r := range v.Results {
		cells := []string{r.Model.String()}
		for k := range r.Jobs {
			cell := response(r, k)
			if last.Sampling != nil && r != last {
				cell += ", " + units.Off(r.Jobs[k].Response/last.Jobs[k].Response-1) + " beside the simulation"
			}
			cells = append(cells, cell)
		}
		note := ""
		switch {
		case !r.Converged:
			note = ModelDoubt(r)
		case r.Sampling != nil && r.Cycles > 0:
			note = fmt.Sprintf("each job submitted again %d times", r.Cycles)
		}
		t.Add(append(cells, busy(r.Centres[:min(1, len(r.Centres))]), note)...)
	}
	return t.Compact()
}

// busy lists how busy centers are.
func busy(centres []queueing.Centre) string {
	return strings.Join(units.Each(centres, func(c queueing.Centre) string {
		return fmt.Sprintf("%s %s", c.Kind, units.Percent(c.Utilisation))
	}), ", ")
}

// result adds the tasks of each job, the busy centers, the improvements, and the precedence trees.
func (v *ModelView) result(d *page.Document, r *queueing.Result) {
	for i := range r.Jobs {
		j, hourly := &r.Jobs[i], "? an hour"
		if j.Throughput > 0 {
			hourly = units.Number(j.Throughput*3600) + " an hour"
		}
		s := page.Section{Title: fmt.Sprintf("%s: %s by %s, %s", title(j.Name, j.Copies), response(r, i), r.Model, hourly)}
		if !r.Converged {
			s.Blocks = append(s.Blocks, page.Say(ModelDoubt(r)))
		}
		s.Blocks = append(s.Blocks, classes(j))
		d.Add(s)
	}
	s := page.Section{Title: "busy: " + busy(r.Centres)}
	if v.Bound != nil {
		s.Blocks = append(s.Blocks, page.Say(*v.Bound))
	}
	if len(v.Improvements) > 0 {
		t := &page.Table{Columns: page.Heads("Change", "Takes", "Saves")}
		for _, l := range v.Improvements {
			t.Add(l.Means, units.Seconds(l.Response), units.Percent(l.Saved))
		}
		s.Blocks = append(s.Blocks, t)
	}
	d.Add(s)
	for _, j := range r.Jobs {
		if j.Tree == nil {
			continue
		}
		s := page.Section{Title: "precedence tree of " + j.Name}
		if r.Model != queueing.Tripathi && j.Tree.Mean.Known() {
			s.Title += ", evaluated by its operators alone, as tripathi does"
		}
		t := tree{left: treeLines}
		t.add(j.Tree, queueing.Leaf, "  ", "  ")
		s.Blocks = t.lines
		d.Add(s)
	}
}

// ModelDoubt describes how far the iteration was from convergence.
func ModelDoubt(r *queueing.Result) string {
	return fmt.Sprintf("it did not converge: after %d iterations residence times still change by %s", r.Iterations,
		units.Seconds(r.Residual))
}

func response(r *queueing.Result, i int) string {
	j := &r.Jobs[i]
	s := units.Seconds(j.Response)
	if !r.Converged {
		s = "about " + s
	}
	if j.StandardError.Known() {
		s += " ± " + units.Seconds(j.StandardError)
	}
	return s
}

// title returns a job's name and the number of its copies.
func title(name string, copies int) string {
	if copies > 1 {
		return fmt.Sprintf("%s (%d at once)", name, copies)
	}
	return name
}

// classes returns the times of a task of each class, by center if the model has them.
func classes(j *queueing.JobResult) *page.Table {
	t := &page.Table{Columns: page.Heads("Class", "Tasks", "Takes", "CPU", "Disk", "Fibre", "Network")}
	for _, c := range j.Classes {
		cells := []string{c.Kind.String(), fmt.Sprint(c.Tasks), units.Seconds(c.Takes)}
		r := cmp.Or(c.Residence, &queueing.Demand{})
		for _, x := range []float64{r.CPU, r.Disk, r.Fibre, r.Network} {
			text := ""
			if x > 0 {
				text = units.Seconds(x)
			}
			cells = append(cells, text)
		}
		t.Add(cells...)
	}
	return t.Compact()
}

// The limits of a tree's text, so that it stays within a screen: parts of an operator, and lines.
const (
	treeParts = 8
	treeLines = 40
)

// A tree is the lines of a precedence tree.
type tree struct {
	lines []page.Block
	left  int // how many lines may follow
}

// add adds a line for each part. Under a serial operator equal parts follow each other, under the others they are
// side by side. Parts that are too many are counted.
func (t *tree) add(p *queueing.Tree, under queueing.Operator, first, rest string) {
	t.left--
	label := p.Op.String()
	switch {
	case p.Kind != nil && p.Tasks == 1:
		label = p.Kind.String()
	case p.Kind != nil:
		label = fmt.Sprintf("%d %ss in turn", p.Tasks, p.Kind)
	}
	switch {
	case p.Count > 1 && under == queueing.Serial:
		label += fmt.Sprintf(", %d times", p.Count)
	case p.Count > 1:
		label += fmt.Sprintf(" ×%d", p.Count)
	}
	length := units.Seconds(p.Mean)
	if p.Deviation > 0 {
		length += " ± " + units.Seconds(p.Deviation)
	}
	t.lines = append(t.lines, page.Say(fmt.Sprintf("%s%s  %s", first, label, length)))
	for i, part := range p.Parts {
		switch {
		case i >= treeParts || t.left <= 0:
			t.left--
			t.lines = append(t.lines, page.Say(fmt.Sprintf("%s└─ … and %d more", rest, len(p.Parts)-i)))
			return
		case i == len(p.Parts)-1:
			t.add(part, p.Op, rest+"└─ ", rest+"   ")
		default:
			t.add(part, p.Op, rest+"├─ ", rest+"│  ")
		}
	}
}

// A ModelSetting is a part of a Spec that can be changed from the command line, by the flag of its name.
type ModelSetting struct {
	Name  string
	OfJob bool // it belongs to a job, not to the cluster
	Set   func(s *queueing.Spec, job, n int)
}

// ModelSettings are all of them. Spec.Validate finds values that are too large.
var ModelSettings = []ModelSetting{
	{"nodes", false, func(s *queueing.Spec, _, n int) { s.Nodes = n }},
	{"cpus", false, func(s *queueing.Spec, _, n int) { s.CPUs = n }},
	{"disks", false, func(s *queueing.Spec, _, n int) { s.Disks = n }},
	{"map-slots", false, func(s *queueing.Spec, _, n int) { s.MapSlots = n }},
	{"reduce-slots", false, func(s *queueing.Spec, _, n int) { s.ReduceSlots = n }},
	{"shuffle-threads", false, func(s *queueing.Spec, _, n int) { s.ShuffleThreads = n }},
	{"copies", true, func(s *queueing.Spec, job, n int) { s.Jobs[job].Copies = n }},
	{"maps", true, func(s *queueing.Spec, job, n int) { s.Jobs[job] = s.Jobs[job].WithMaps(n) }},
	{"reduces", true, func(s *queueing.Spec, job, n int) { s.Jobs[job] = s.Jobs[job].WithReduces(n) }},
}
