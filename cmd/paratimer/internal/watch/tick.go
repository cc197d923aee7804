package watch

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/schedule"
)

// An EstimatorSet is who estimates. Scenarios[0] is the standard scenario, from which the headline is taken.
type EstimatorSet struct {
	Scenarios, Others []estimators.Estimator
	// Shown names the scenarios that are in the frames that sinks get; nil: all.
	Shown []string
	// Sampled gives the distribution of the remaining time; nil: frames have no quantiles.
	Sampled estimators.Estimator
	// Uneven tells which reduces hold the query back; nil: frames say that it is not known.
	Uneven estimators.Estimator
	// Model is what the estimators rest on; changes of the predicted end are told with it.
	Model estimators.Model
}

// ticker is what the loop remembers between ticks: the run so far and what was last said of it.
type ticker struct {
	run     dag.Run
	answers frame.Answers
	last    frame.Frame
	at      dag.Instant
	state   dag.State
	// alerts is how the query stands to its bounds; recalled says that what was remembered of that is in it.
	alerts   alert.State
	recalled bool
	// moves decides which moves of the predicted end people are told of.
	moves moves
}

// judge gives a frame its alerts.
func (t *ticker) judge(bounds []alert.Bound, f frame.Frame) frame.Frame {
	t.alerts, f.Alerts = alert.Step(bounds, t.alerts, f)
	return f
}

// tick makes the frame of a new snapshot. Nobody estimates a workflow that is too large for that, and a run that was
// too large begins anew once it is not.
func (t *ticker) tick(p EstimatorSet, s *dag.Snapshot) frame.Frame {
	if dag.TooLarge(s.Warnings) {
		p = EstimatorSet{}
		t.run, t.answers = dag.Run{}, frame.Answers{}
	} else if len(t.run.Window) > 0 && dag.TooLarge(t.run.Now().Warnings) {
		t.run, t.answers = dag.Run{}, frame.Answers{}
	}
	before, answers := t.run, t.answers
	t.run, t.at, t.state = t.run.Append(s), s.At, s.State
	t.answers = p.evaluate(t.run)
	changes := p.changes(before, t.run, answers, t.answers)
	t.last = frame.Of(s, t.answers, parts(changes))
	t.moves.step(p.Model, before, t.run, changes, &t.last)
	return t.last
}

// repeat makes the frame of a missed observation: the last good one, as old as it is. The predicted end stands.
func (t *ticker) repeat(missed *dag.MissedError) frame.Frame {
	f, age := t.last, time.Duration(0)
	if missed.At.Known() && t.at.Known() && missed.At > t.run.Now().At {
		t.at = missed.At
		age = missed.At.Sub(t.run.Now().At)
	}
	return f.Aged(age, missed.Err)
}

// shown are the estimates that sinks get. Alerts have seen them all.
func (p EstimatorSet) shown(all []frame.Estimate) []frame.Estimate {
	if p.Shown == nil {
		return all
	}
	out := make([]frame.Estimate, 0, len(p.Shown))
	for _, e := range all {
		if slices.Contains(p.Shown, e.Scenario) {
			out = append(out, e)
		}
	}
	return out
}

func (p EstimatorSet) evaluate(run dag.Run) frame.Answers {
	a := frame.Answers{Scenarios: evaluate(p.Scenarios, run), Others: evaluate(p.Others, run)}
	if run.Now().State.Ended() {
		return a
	}
	if p.Sampled != nil {
		a.Sampled = evaluate([]estimators.Estimator{p.Sampled}, run)[0]
	}
	if p.Uneven != nil {
		a.Uneven = evaluate([]estimators.Estimator{p.Uneven}, run)[0]
	}
	return a
}

// evaluate asks each estimator. One that fails leaves a warning in place of a number: the watch lives on. That an
// application has no executor yet is no failure: the frame says what it waits for.
func evaluate(all []estimators.Estimator, run dag.Run) []estimators.Estimate {
	out := make([]estimators.Estimate, len(all))
	for i, estimator := range all {
		e, err := estimator.Estimate(run)
		if err != nil {
			e.Remaining, e.Progress = nil, math.NaN()
			if stuck, ok := errors.AsType[*schedule.StuckError](err); !ok || !stuck.NoExecutor {
				e.Warnings = append(e.Warnings, dag.Warning{Code: dag.WarnNoEstimate, Text: frame.Reason(err)})
			}
		}
		out[i] = e
	}
	return out
}
