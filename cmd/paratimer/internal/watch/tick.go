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

// An EstimatorSet has the estimators of a watch. Scenarios[0] is the standard scenario, which the headline is taken
// from.
type EstimatorSet struct {
	Scenarios, Others []estimators.Estimator
	// Shown names the scenarios in the frames that sinks get; nil: all.
	Shown []string
	// Sampled estimates the distribution of the remaining time; nil: frames have no quantiles.
	Sampled estimators.Estimator
	// Uneven finds the reduces that delay the query; nil: skew is unknown in frames.
	Uneven estimators.Estimator
	// Model is the cost model of the estimators. It also explains changes of the predicted end.
	Model estimators.Model
}

// ticker is the loop's state between ticks: the run so far and its last estimates.
type ticker struct {
	run     dag.Run
	answers frame.Answers
	last    frame.Frame
	at      dag.Instant
	state   dag.State
	// alerts is the state of the bounds; recalled means that Recall's state is in it.
	alerts   alert.State
	recalled bool
	// moves decides which moves of the predicted end are shown.
	moves moves
}

// judge adds the alerts to a frame.
func (t *ticker) judge(bounds []alert.Bound, f frame.Frame) frame.Frame {
	t.alerts, f.Alerts = alert.Step(bounds, t.alerts, f)
	return f
}

// tick makes the frame of a new snapshot. A workflow that is too large gets no estimates. A run that was too large
// starts anew once it is not.
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

// repeat makes the frame of a missed observation: the last good one with its age. The predicted end stays.
func (t *ticker) repeat(missed *dag.MissedError) frame.Frame {
	f, age := t.last, time.Duration(0)
	if missed.At.Known() && t.at.Known() && missed.At > t.run.Now().At {
		t.at = missed.At
		age = missed.At.Sub(t.run.Now().At)
	}
	return f.Aged(age, missed.Err)
}

// shown returns the estimates that sinks get. Alerts use all of them.
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

// evaluate calls each estimator. An estimator that fails leaves a warning in place of a number, and the watch
// continues. If an application has no executor yet, there is no warning: the frame shows what it waits for.
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
