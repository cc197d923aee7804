package modelview

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/estimators/queueing"
	"github.com/paratimer/paratimer/units"
)

// Text writes the view as text: one answer in full, several side by side.
func (v *View) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	if v.Name != "" {
		fmt.Fprintln(b, view.Escape(v.Name))
	}
	fmt.Fprintln(b, clusterText(v.Spec))
	if len(v.Answers) > 1 {
		v.compare(b)
	} else {
		v.answer(b, &v.Answers[0])
	}
	for i := range v.Answers {
		warn(b, v.Answers[i].Warnings(), v.Answers[i].Model+": ")
	}
	warn(b, v.Warnings, "")
	return b.Flush()
}

func warn(b *bufio.Writer, all []queueing.Warning, of string) {
	for _, w := range all {
		fmt.Fprintln(b, "warning: "+of+view.Escape(w.Text))
	}
}

func clusterText(s *queueing.Spec) string {
	disks := ""
	if s.Disks > 1 {
		disks = units.Count(s.Disks, "disk") + ", "
	}
	return fmt.Sprintf("%s of %s, %s%s and %s each; a reduce takes %s at once", units.Count(s.Nodes, "node"),
		units.Count(s.CPUs, "CPU"), disks, units.Count(s.MapSlots, "map slot"),
		units.Count(max(1, s.ReduceSlots), "reduce slot"), units.Count(s.ShuffleThreads, "map output"))
}

func (v *View) answer(b *bufio.Writer, a *Answer) {
	for i := range v.Spec.Jobs {
		fmt.Fprintf(b, "\n%s: %s by %s, %s\n", view.Escape(jobName(v.Spec, i)), response(a, i), a.Model,
			rate(a.Throughput(i)))
		if !a.Converged() {
			fmt.Fprintf(b, "  %s\n", a.Doubt())
		}
		a.classes(b, i)
		if a.Result != nil {
			phases(b, &a.Result.Jobs[i])
		}
	}
	fmt.Fprintln(b)
	for i, c := range a.Centres() {
		if i == 0 {
			fmt.Fprint(b, "busy: ")
		} else {
			fmt.Fprint(b, ", ")
		}
		fmt.Fprintf(b, "%s %s", c.Kind, units.Percent(c.Utilisation))
	}
	fmt.Fprintf(b, "\n%s\n", view.Escape(v.Bound()))
	if a.Result == nil {
		return
	}
	for i := range a.Result.Jobs {
		j := &a.Result.Jobs[i]
		of := ""
		if len(a.Result.Jobs) > 1 {
			of = " of " + view.Escape(j.Name)
		}
		if j.Tree != nil {
			fmt.Fprintf(b, "\nprecedence tree%s%s\n", of, a.treeNote(j))
			tree(b, j.Tree)
		}
		if len(j.Threads) > 0 {
			fmt.Fprintf(b, "\ntimeline%s, if each task took the mean: the slowest of those side by side end later\n",
				of)
			timeline(b, j)
		}
	}
}

// treeNote explains that the tree's own value is the result of another model.
func (a *Answer) treeNote(j *queueing.JobResult) string {
	if a.Result.Model == queueing.Tripathi || math.IsNaN(j.Tree.Mean) {
		return ""
	}
	return ", evaluated by its operators alone, as " + queueing.Tripathi.String() + " does"
}

// Doubt describes how far the iteration was from convergence; "" if it converged.
func (a *Answer) Doubt() string {
	if a.Converged() {
		return ""
	}
	s := fmt.Sprintf("it did not converge: after %d iterations residence times still change by %s", a.Result.Iterations,
		units.Seconds(a.Result.Residual))
	if a.Result.Cycle > 0 {
		s += fmt.Sprintf(", in a cycle of %d", a.Result.Cycle)
	}
	return s
}

func response(a *Answer, i int) string {
	r, se := a.Response(i)
	s := units.Seconds(r)
	if !a.Converged() {
		s = "about " + s
	}
	if !math.IsNaN(se) {
		s += " ± " + units.Seconds(se)
	}
	return s
}

// classes writes the times of a task of each class, by center if the model has them.
func (a *Answer) classes(b *bufio.Writer, i int) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\ttasks\ttakes\t")
	if a.Result != nil {
		for _, k := range kinds {
			fmt.Fprintf(t, "%s\t", k)
		}
	}
	fmt.Fprintln(t)
	for _, c := range a.classesOf(i) {
		fmt.Fprintf(t, "%s\t%d\t%s\t", c.Kind, c.Tasks, units.Seconds(c.takes))
		if a.Result != nil {
			for _, k := range kinds {
				fmt.Fprintf(t, "%s\t", dash(of(c.Residence, k)))
			}
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // b reports errors
}

// A class is a class of queueing, and how long one of its tasks takes.
type class struct {
	queueing.Class
	takes float64
}

func (a *Answer) classesOf(i int) []class {
	var out []class
	if a.Result != nil {
		for _, c := range a.Result.Jobs[i].Classes {
			out = append(out, class{c, c.Residence.Total()})
		}
		return out
	}
	j, sim := &a.Spec.Jobs[i], &a.Sim.Jobs[i]
	nan := math.NaN()
	unknown := queueing.Demand{CPU: nan, Fibre: nan, Disk: nan, Network: nan}
	out = append(out, class{
		queueing.Class{Kind: queueing.Map, Tasks: j.Maps, Demand: j.Map, Residence: unknown},
		sim.Map.Value,
	})
	if j.Reduces > 0 {
		out = append(out,
			class{queueing.Class{
				Kind: queueing.Shuffle, Tasks: j.Maps * j.Reduces, Demand: j.Shuffle,
				Residence: unknown,
			}, sim.Shuffle.Value},
			class{
				queueing.Class{Kind: queueing.Merge, Tasks: j.Reduces, Demand: j.Merge, Residence: unknown},
				sim.Merge.Value,
			})
	}
	return out
}

// phases lists the first few phases.
func phases(b *bufio.Writer, j *queueing.JobResult) {
	const shown = 4
	var parts []string
	for i, p := range j.Phases {
		if i == shown && len(j.Phases) > shown+1 {
			parts = append(parts, fmt.Sprintf("… to %s", units.Seconds(j.Phases[len(j.Phases)-1].End)))
			break
		}
		part := units.Seconds(p.Start) + " – " + units.Seconds(p.End)
		if p.Count > 1 {
			part = fmt.Sprintf("%d in %s", p.Count, part)
		}
		parts = append(parts, part)
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "  %s: %s\n", units.Count(j.PhaseCount(), "phase"), strings.Join(parts, ", "))
	}
}

// compare writes the answers side by side, each with its deviation from the simulation if there is one.
func (v *View) compare(b *bufio.Writer) {
	var truth *Answer
	for i := range v.Answers {
		if v.Answers[i].Sim != nil {
			truth = &v.Answers[i]
		}
	}
	for j := range v.Spec.Jobs {
		fmt.Fprintf(b, "\n%s\n", view.Escape(jobName(v.Spec, j)))
		t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		for i := range v.Answers {
			a := &v.Answers[i]
			cells := []string{"  " + a.Model, response(a, j)}
			if r, _ := a.Response(j); truth != nil && a != truth {
				was, _ := truth.Response(j)
				cells = append(cells, units.Off(r/was-1)+" beside the simulation")
			}
			if !a.Converged() {
				cells = append(cells, a.Doubt())
			}
			if a.Cycles > 0 {
				cells = append(cells, fmt.Sprintf("each job submitted again %d times", a.Cycles))
			}
			fmt.Fprintln(t, strings.Join(cells, "\t"))
		}
		_ = t.Flush()
	}
}

func jobName(s *queueing.Spec, i int) string {
	j := &s.Jobs[i]
	name := j.Name
	if j.Copies > 1 {
		name += " (" + strconv.Itoa(j.Copies) + " at once)"
	}
	return name
}

// rate formats a throughput in a readable unit.
func rate(perSecond float64) string {
	switch {
	case !(perSecond > 0) || math.IsInf(perSecond, 0):
		return "? an hour"
	case perSecond*3600 < 1000:
		return units.Number(perSecond*3600) + " an hour"
	}
	return units.Number(perSecond) + " a second"
}

func dash(x float64) string {
	if x == 0 {
		return "-"
	}
	return units.Seconds(x)
}
