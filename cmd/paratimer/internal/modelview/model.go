// Package modelview shows the results of models: queueing models and their simulation, with what limits jobs and what
// would help, and Ernest. A result is its JSON; its Document is its text.
package modelview

import (
	"fmt"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/units"
)

// SchemaVersion is the version of the JSON; it grows when a field changes its meaning or is no longer there.
const SchemaVersion = 3

// A View has the results of one or more models, for one or more settings. docs/queueing.md has its fields. Times are
// in seconds; unknown is null.
type View struct {
	SchemaVersion int                `json:"schema_version"`
	Name          string             `json:"name"` // of what is modeled; "" if the file has none
	Cluster       queueing.Spec      `json:"cluster"`
	Results       []Result           `json:"results"` // at least one
	Bound         *string            `json:"bound"`   // null for several settings
	Improvements  []Improvement      `json:"levers"`  // empty if they were not computed
	Warnings      []queueing.Warning `json:"warnings"`
}

// A Result is what one model answers for one combination of settings, or the error.
type Result struct {
	Settings []Value `json:"settings"` // those with several values
	Error    *string `json:"error"`
	*queueing.Result
}

// A Value is that of a setting.
type Value struct {
	Setting string `json:"setting"`
	Value   int    `json:"value"`
}

// New returns a view of a Spec without results.
func New(name string, s *queueing.Spec) *View {
	v := &View{SchemaVersion: SchemaVersion, Name: name, Cluster: *s}
	v.Cluster.Disks, v.Cluster.ReduceSlots = max(1, s.Disks), max(1, s.ReduceSlots)
	v.Improvements, v.Warnings = []Improvement{}, []queueing.Warning{}
	return v
}

// Failed returns the result of a model that cannot be solved.
func Failed(model queueing.Model, err error) Result {
	text := err.Error()
	return Result{Error: &text, Result: &queueing.Result{
		Model: model, Jobs: []queueing.JobResult{}, Centres: []queueing.Centre{}, Warnings: []queueing.Warning{},
	}}
}

// Document shows one result in full, several as a table.
func (v *View) Document() *page.Document {
	d := &page.Document{Title: v.Name}
	if len(v.Results[0].Settings) == 0 {
		s, disks := &v.Cluster, ""
		if s.Disks > 1 {
			disks = units.Count(s.Disks, "disk") + ", "
		}
		d.Add(page.Say(fmt.Sprintf("%s of %s, %s%s and %s each; a reduce takes %s at once", units.Count(s.Nodes, "node"),
			units.Count(s.CPUs, "CPU"), disks, units.Count(s.MapSlots, "map slot"),
			units.Count(s.ReduceSlots, "reduce slot"), units.Count(s.ShuffleThreads, "map output"))))
	}
	if len(v.Results) > 1 {
		d.Add(page.Say(""), v.table())
	} else {
		v.result(d, &v.Results[0])
	}
	seen := map[string]bool{} // several settings have the same warnings
	warn := func(of string, all []queueing.Warning) {
		for _, w := range all {
			if text := of + w.Text; !seen[text] {
				d.Add(page.Say("warning: " + text))
				seen[text] = true
			}
		}
	}
	for i := range v.Results {
		warn(v.Results[i].Model.String()+": ", v.Results[i].Warnings)
	}
	warn("", v.Warnings)
	return d
}

// table has a row for each result. Beside a simulation of the same settings, the models have their deviation.
func (v *View) table() *page.Table {
	t, jobs := &page.Table{}, 0
	for _, s := range v.Results[0].Settings {
		t.Columns = append(t.Columns, page.Heads(s.Setting)...)
	}
	t.Columns = append(t.Columns, page.Heads("model")...)
	for i := range v.Results {
		for k := range v.Results[i].Jobs {
			if jobs <= k {
				jobs++
				t.Columns = append(t.Columns, page.Heads(title(&v.Results[i].Jobs[k]))...)
			}
		}
	}
	t.Columns = append(t.Columns, page.Heads("busiest", "")...)
	for i := range v.Results {
		r := &v.Results[i]
		var cells []string
		for _, s := range r.Settings {
			cells = append(cells, fmt.Sprint(s.Value))
		}
		cells = append(cells, r.Model.String())
		simulated := v.simulationOf(i)
		for k := range r.Jobs {
			cell := r.response(k)
			if simulated != nil {
				off := units.Off(r.Jobs[k].Response/simulated.Jobs[k].Response - 1)
				cell += fmt.Sprintf(", %s beside the simulation", off)
			}
			cells = append(cells, cell)
		}
		busiest, note := "", ""
		switch {
		case r.Error != nil:
			note = *r.Error
			cells = append(cells, make([]string, jobs)...)
		case !r.Converged:
			note = r.Doubt()
		case r.Sampling != nil && r.Cycles > 0:
			note = fmt.Sprintf("each job submitted again %d times", r.Cycles)
		}
		if len(r.Centres) > 0 {
			busiest = busy(r.Centres[:1])
		}
		t.Add(append(cells, busiest, note)...)
	}
	return t.Compact()
}

// busy lists how busy centers are.
func busy(centres []queueing.Centre) string {
	var all []string
	for _, c := range centres {
		all = append(all, fmt.Sprintf("%s %s", c.Kind, units.Percent(c.Utilisation)))
	}
	return strings.Join(all, ", ")
}

// simulationOf returns the simulation of the same settings as model i: it follows the models. nil if there is none.
func (v *View) simulationOf(i int) *Result {
	if v.Results[i].Sampling != nil {
		return nil
	}
	for k := i + 1; k < len(v.Results) && fmt.Sprint(v.Results[k].Settings) == fmt.Sprint(v.Results[i].Settings); k++ {
		if v.Results[k].Sampling != nil {
			return &v.Results[k]
		}
	}
	return nil
}

// result adds the tasks of each job, what is busy, what would help, and the precedence trees.
func (v *View) result(d *page.Document, r *Result) {
	for i := range r.Jobs {
		j := &r.Jobs[i]
		s := page.Section{Title: fmt.Sprintf("%s: %s by %s, %s", title(j), r.response(i), r.Model, rate(j.Throughput))}
		if !r.Converged {
			s.Blocks = append(s.Blocks, page.Say(r.Doubt()))
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
	for i := range r.Jobs {
		j := &r.Jobs[i]
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

// Doubt describes how far the iteration was from convergence.
func (r *Result) Doubt() string {
	return fmt.Sprintf("it did not converge: after %d iterations residence times still change by %s", r.Iterations,
		units.Seconds(r.Residual))
}

func (r *Result) response(i int) string {
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

// title returns the job's name and the number of its copies.
func title(j *queueing.JobResult) string {
	if j.Copies > 1 {
		return fmt.Sprintf("%s (%d at once)", j.Name, j.Copies)
	}
	return j.Name
}

// classes returns the times of a task of each class, by center if the model has them.
func classes(j *queueing.JobResult) *page.Table {
	t := &page.Table{Columns: page.Heads("Class", "Tasks", "Takes", "CPU", "Disk", "Fibre", "Network")}
	for _, c := range j.Classes {
		cells := []string{c.Kind.String(), fmt.Sprint(c.Tasks), units.Seconds(c.Takes), "", "", "", ""}
		if r := c.Residence; r != nil {
			for i, x := range []float64{r.CPU, r.Disk, r.Fibre, r.Network} {
				if x > 0 {
					cells[3+i] = units.Seconds(x)
				}
			}
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

// rate formats a throughput in a readable unit.
func rate(perSecond float64) string {
	switch {
	case !(perSecond > 0):
		return "? an hour"
	case perSecond*3600 < 1000:
		return units.Number(perSecond*3600) + " an hour"
	}
	return units.Number(perSecond) + " a second"
}
