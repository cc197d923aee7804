package modelview

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/units"
)

// JSON writes the view as JSON.
func (v *View) JSON(w io.Writer) error { return view.JSON(w, v, " ") }

// Text writes the view as text: one result in full, several as a table.
func (v *View) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	if v.Name != "" {
		fmt.Fprintln(b, view.Escape(v.Name))
	}
	if len(v.Results[0].Settings) == 0 {
		v.cluster(b)
	}
	if len(v.Results) > 1 {
		fmt.Fprintln(b)
		v.table(b)
	} else {
		v.result(b, &v.Results[0])
	}
	seen := map[string]bool{} // several settings have the same warnings
	warn := func(of string, all []queueing.Warning) {
		for _, w := range all {
			if text := of + view.Escape(w.Text); !seen[text] {
				fmt.Fprintln(b, "warning: "+text)
				seen[text] = true
			}
		}
	}
	for i := range v.Results {
		warn(v.Results[i].Model.String()+": ", v.Results[i].Warnings)
	}
	warn("", v.Warnings)
	return b.Flush()
}

func (v *View) cluster(b *bufio.Writer) {
	s, disks := &v.Cluster, ""
	if s.Disks > 1 {
		disks = units.Count(s.Disks, "disk") + ", "
	}
	fmt.Fprintf(b, "%s of %s, %s%s and %s each; a reduce takes %s at once\n", units.Count(s.Nodes, "node"),
		units.Count(s.CPUs, "CPU"), disks, units.Count(s.MapSlots, "map slot"),
		units.Count(s.ReduceSlots, "reduce slot"), units.Count(s.ShuffleThreads, "map output"))
}

// table writes a line for each result. Beside a simulation of the same settings, the models have their deviation.
func (v *View) table(b *bufio.Writer) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	first := &v.Results[0]
	for _, s := range first.Settings {
		fmt.Fprintf(t, "%s\t", s.Setting)
	}
	fmt.Fprint(t, "model\t")
	for i := range v.jobs() {
		fmt.Fprintf(t, "%s\t", title(&v.jobs()[i]))
	}
	fmt.Fprintln(t, "busiest")
	for i := range v.Results {
		r := &v.Results[i]
		for _, s := range r.Settings {
			fmt.Fprintf(t, "%d\t", s.Value)
		}
		fmt.Fprintf(t, "%s\t", r.Model)
		if r.Error != nil {
			fmt.Fprintln(t, view.Escape(*r.Error))
			continue
		}
		truth := v.simulationOf(i)
		for j := range r.Jobs {
			fmt.Fprint(t, r.response(j))
			if truth != nil {
				fmt.Fprintf(t, ", %s beside the simulation",
					units.Off(r.Jobs[j].Response/truth.Jobs[j].Response-1))
			}
			fmt.Fprint(t, "\t")
		}
		if len(r.Centres) > 0 {
			fmt.Fprintf(t, "%s %s", r.Centres[0].Kind, units.Percent(r.Centres[0].Utilisation))
		}
		if r.Sampling != nil && r.Cycles > 0 {
			fmt.Fprintf(t, "\teach job submitted again %d times", r.Cycles)
		}
		if !r.Converged {
			fmt.Fprintf(t, "\t%s", r.Doubt())
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // b reports errors
}

// jobs returns the jobs of the first result without an error.
func (v *View) jobs() []queueing.JobResult {
	for i := range v.Results {
		if v.Results[i].Error == nil {
			return v.Results[i].Jobs
		}
	}
	return nil
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

func (v *View) result(b *bufio.Writer, r *Result) {
	for i := range r.Jobs {
		j := &r.Jobs[i]
		fmt.Fprintf(b, "\n%s: %s by %s, %s\n", title(j), r.response(i), r.Model,
			rate(j.Throughput))
		if !r.Converged {
			fmt.Fprintf(b, "  %s\n", r.Doubt())
		}
		classes(b, j)
		phases(b, j)
	}
	var busy []string
	for _, c := range r.Centres {
		busy = append(busy, fmt.Sprintf("%s %s", c.Kind, units.Percent(c.Utilisation)))
	}
	fmt.Fprintf(b, "\nbusy: %s\n", strings.Join(busy, ", "))
	if v.Bound != nil {
		fmt.Fprintln(b, view.Escape(*v.Bound))
	}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.Tree == nil {
			continue
		}
		fmt.Fprint(b, "\nprecedence tree")
		if len(r.Jobs) > 1 {
			fmt.Fprint(b, " of "+view.Escape(j.Name))
		}
		if r.Model != queueing.Tripathi && j.Tree.Mean.Known() {
			fmt.Fprint(b, ", evaluated by its operators alone, as tripathi does")
		}
		left := treeLines
		fmt.Fprintln(b)
		tree(b, j.Tree, queueing.Leaf, "  ", "  ", &left)
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
	name := view.Escape(j.Name)
	if j.Copies > 1 {
		name += fmt.Sprintf(" (%d at once)", j.Copies)
	}
	return name
}

// classes writes the times of a task of each class, by center if the model has them.
func classes(b *bufio.Writer, j *queueing.JobResult) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	byCentre := len(j.Classes) > 0 && j.Classes[0].Residence != nil
	fmt.Fprint(t, "\ttasks\ttakes\t")
	if byCentre {
		fmt.Fprint(t, "cpu\tdisk\tfibre\tnetwork\t")
	}
	fmt.Fprintln(t)
	for _, c := range j.Classes {
		fmt.Fprintf(t, "%s\t%d\t%s\t", c.Kind, c.Tasks, units.Seconds(c.Takes))
		if byCentre {
			r := c.Residence
			for _, x := range []float64{r.CPU, r.Disk, r.Fibre, r.Network} {
				if x == 0 {
					fmt.Fprint(t, "-\t")
				} else {
					fmt.Fprintf(t, "%s\t", units.Seconds(x))
				}
			}
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // b reports errors
}

// phases lists the first few phases.
func phases(b *bufio.Writer, j *queueing.JobResult) {
	const shown = 4
	var parts []string
	all := 0
	for i, p := range j.Phases {
		all += p.Count
		switch part := units.Seconds(p.Start) + " – " + units.Seconds(p.End); {
		case i > shown || i == shown && len(j.Phases) > shown+1:
			parts = append(parts[:shown], "… to "+units.Seconds(p.End))
		case p.Count > 1:
			parts = append(parts, fmt.Sprintf("%d in %s", p.Count, part))
		default:
			parts = append(parts, part)
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "  %s: %s\n", units.Count(all, "phase"), strings.Join(parts, ", "))
	}
}

// The limits of a tree's text, so that it stays within a screen: parts of an operator, and lines.
const (
	treeParts = 8
	treeLines = 40
)

// tree writes a line for each part. Under a serial operator equal parts follow each other, under the others they are
// side by side. Parts that are too many are counted.
func tree(b *bufio.Writer, t *queueing.Tree, under queueing.Operator, first, rest string, left *int) {
	*left--
	label := t.Op.String()
	switch {
	case t.Kind != nil && t.Tasks == 1:
		label = t.Kind.String()
	case t.Kind != nil:
		label = fmt.Sprintf("%d %ss in turn", t.Tasks, t.Kind)
	}
	switch {
	case t.Count > 1 && under == queueing.Serial:
		label += fmt.Sprintf(", %d times", t.Count)
	case t.Count > 1:
		label += fmt.Sprintf(" ×%d", t.Count)
	}
	length := units.Seconds(t.Mean)
	if t.Deviation > 0 {
		length += " ± " + units.Seconds(t.Deviation)
	}
	fmt.Fprintf(b, "%s%s  %s\n", first, label, length)
	for i, p := range t.Parts {
		switch {
		case i >= treeParts || *left <= 0:
			*left--
			fmt.Fprintf(b, "%s└─ … and %d more\n", rest, len(t.Parts)-i)
			return
		case i == len(t.Parts)-1:
			tree(b, p, t.Op, rest+"└─ ", rest+"   ", left)
		default:
			tree(b, p, t.Op, rest+"├─ ", rest+"│  ", left)
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
