package watch

import (
	"fmt"
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// A Panel is who estimates. Scenarios[0] is the standard scenario, from which the headline is taken.
type Panel struct {
	Scenarios, Others []Named
}

// Named is an estimator and the name that its number bears, which holds even when the estimator fails.
type Named struct {
	Name string
	estimators.Estimator
}

// ticker is what the loop remembers between ticks: the run so far and what was last said of it.
type ticker struct {
	run   dag.Run
	said  answers
	frame Frame
	at    dag.Instant
	state dag.State
}

// tick makes the frame of a new snapshot.
func (t *ticker) tick(p Panel, s *dag.Snapshot) Frame {
	before, said := t.run, t.said
	t.run, t.at, t.state = t.run.Append(s), s.At, s.State
	t.said = p.ask(t.run)
	t.frame = build(s, t.said, changes(before, t.run, said, t.said))
	return t.frame
}

// repeat makes the frame of a missed observation: the last good one, as old as it is. The predicted end stands.
func (t *ticker) repeat(missed *dag.MissedError) Frame {
	f, age := t.frame, time.Duration(0)
	if missed.At.Known() && t.at.Known() && missed.At > t.run.Now().At {
		t.at = missed.At
		age = missed.At.Sub(t.run.Now().At)
	}
	return f.aged(age, missed.Err)
}

func (p Panel) ask(run dag.Run) answers {
	return answers{scenarios: ask(p.Scenarios, run), others: ask(p.Others, run)}
}

// ask asks each estimator. One that fails leaves a warning in place of a number: the watch lives on.
func ask(all []Named, run dag.Run) []estimators.Estimate {
	out := make([]estimators.Estimate, len(all))
	for i, n := range all {
		e, err := n.Estimate(run)
		if err != nil {
			e = estimators.Estimate{Progress: math.NaN(), Warnings: []dag.Warning{
				{Code: dag.WarnNoEstimate, Text: fmt.Sprintf("%s: %v", n.Name, err)},
			}}
		}
		e.Scenario = n.Name
		out[i] = e
	}
	return out
}
