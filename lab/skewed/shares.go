package skewed

import (
	"fmt"

	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/lab/skewed/phase"
)

// shareColumns are the columns of the table, by rule.
var shareColumns = []struct {
	name string
	rule nearestfit.Rule
}{
	{"neighbours in the task", nearestfit.OwnNeighbours},
	{"the task's fit", nearestfit.OwnFit},
	{"neighbours in others", nearestfit.JobNeighbours},
	{"the best fit", nearestfit.BestFit},
	{"bytes", nearestfit.Fallback},
}

// byRule returns the share of the remaining time that each rule predicts, over all tasks that have not stopped, by
// column. It returns nil if no time remains.
func byRule(run *phase.Run, t float64, p *nearestfit.Prediction) []float64 {
	var seconds [nearestfit.Rules]float64
	all := 0.0
	for task := range run.Stop {
		if run.Stop[task] <= t {
			continue
		}
		for _, s := range p.Remaining(task).Shares {
			seconds[s.Rule] += s.Seconds
			all += s.Seconds
		}
	}
	if !(all > 0) {
		return nil
	}
	shares := make([]float64, len(shareColumns))
	for i, c := range shareColumns {
		shares[i] = seconds[c.rule] / all
	}
	return shares
}

func sharesExperiment(l lab) experiment {
	e := experiment{title: "What a prediction comes from (section 8.6)"}
	for _, s := range fig6 {
		e.rows = append(e.rows, row{l.run(s.synthetic), func(run *phase.Run) []*watcher {
			w := newWatcher(paper(run.Work), nearestfit.Default(), run.Seen)
			w.shares = true
			return []*watcher{w}
		}})
	}
	names := make([]string, len(shareColumns))
	for i, c := range shareColumns {
		names[i] = c.name
	}
	e.write = func(p printer, r []result) error {
		p("The share of the time left that the streaming form predicts by each of its rules, in the mean over the ticks of a run and over runs.")
		p("")
		head(p, []string{"cost", "σ", "tasks"}, names)
		for i, s := range fig6 {
			cells := []string{s.cost(), fmt.Sprint(s.sigma), fmt.Sprint(s.reduces)}
			for _, name := range names {
				cells = append(cells, fmt.Sprintf("%.0f %%", r[i][name].avg))
			}
			p("%s", line(cells...))
		}
		return nil
	}
	return e
}
