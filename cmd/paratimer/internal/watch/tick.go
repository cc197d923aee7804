package watch

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
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

// tick makes the frame of a new snapshot. A workflow that is too large gets no estimates. A run that was too large
// starts anew once it is not.
func (w *Watch) tick(s *dag.Snapshot) {
	p, tooLarge := w.Estimators, dag.TooLarge(s.Warnings)
	if tooLarge {
		p = EstimatorSet{}
	}
	if tooLarge || w.hasRun() && dag.TooLarge(w.run.Now().Warnings) {
		w.run, w.answers = dag.Run{}, frame.Answers{}
	}
	before, answers := w.run, w.answers
	w.run, w.at = w.run.Append(s), s.At
	w.answers = p.evaluate(w.run)
	changes := p.changes(before, w.run, answers, w.answers)
	w.last = frame.Of(s, w.answers, units.Each(changes, changeOf))
	w.moves.step(p.Model, before, w.run, changes, &w.last)
}

func changeOf(c explain.Change) frame.Change {
	return frame.Change{Cause: frame.CauseOf(c), Shown: c.Event}
}

// repeat makes the frame of a missed observation: the last good one with its age. The predicted end stays.
func (w *Watch) repeat(missed *dag.MissedError) frame.Frame {
	age, seen := time.Duration(0), w.run.Now().At
	if missed.At.Known() && w.at.Known() && missed.At > seen {
		w.at = missed.At
		age = missed.At.Sub(seen)
	}
	return w.last.Aged(age, missed.Err)
}

// shown returns the estimates that sinks get. Alerts use all of them.
func (p EstimatorSet) shown(all []frame.Estimate) []frame.Estimate {
	if p.Shown == nil {
		return all
	}
	return slices.DeleteFunc(append([]frame.Estimate{}, all...), func(e frame.Estimate) bool {
		return !slices.Contains(p.Shown, e.Scenario)
	})
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
