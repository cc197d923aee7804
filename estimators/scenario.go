package estimators

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// A Scenario is an estimator that reads a ReplayContext shared with other scenarios.
type Scenario struct {
	Name     string
	Meaning  string // one sentence for people
	Estimate func(*ReplayContext) (Estimate, error)
}

// Of evaluates the scenario. The estimate has its name and meaning.
func (s Scenario) Of(w *ReplayContext) (Estimate, error) {
	e, err := s.Estimate(w)
	if err != nil {
		return Estimate{Scenario: s.Name, Meaning: s.Meaning, Moot: e.Moot, Progress: math.NaN()}, err
	}
	e.Scenario, e.Meaning = s.Name, s.Meaning
	return e, nil
}

// Scenarios returns ParaTimer's own scenarios, standard first.
func Scenarios() []Scenario {
	return []Scenario{
		{"standard", "nothing else goes wrong", standard},
		{"one_failure", "the longest unfinished task fails once, just before its end", worstFailures(1)},
		{
			"failure_until_proven", "a worst failure is still to come, until one has been seen in the part that runs",
			failureUntilProven,
		},
		{"skew_low", "data skew at its best: the long reduces run beside each other", skewLow},
		{"skew_high", "data skew at its worst: the long reduces run one after another", skewHigh},
		{
			"best_guess", "the tasks in the order that the scheduler is expected to take, between the bounds of skew",
			bestGuess,
		},
		{
			"slots_as_now", "others keep what they hold, and free it as fast as in the last minute",
			othersAs(slotsAsNow),
		},
		{
			"slots_fair_share", "we end up with our queue's share, split evenly among its users",
			othersAs(slotsFairShare),
		},
		{"alone", "no other application takes anything from now on", othersAs(alone)},
	}
}

// Variants are for comparison: the lower bound of skew as the paper prints it, and more failures.
func Variants() []Scenario {
	return []Scenario{
		{
			"skew_low_as_printed", "as skew_low, by the paper's Algorithm 1 alone, which looks at the shortest reduces",
			skewLowAsPrinted,
		},
		{"three_failures", "the longest unfinished task fails three times, each just before its end", worstFailures(3)},
		{"average_failure", "an unfinished task of average length fails once, just before its end", averageFailure},
		{"failure_halfway", "the longest unfinished task fails halfway", failureHalfway},
		{"failure_now", "the task that has run longest fails now", failureNow},
	}
}

// New returns the estimator of one scenario. If you need several for the same runs, use Shared.
func New(s Scenario, model Model, options Options) Estimator {
	return Shared([]Scenario{s}, model, options)[0]
}

// Shared returns one estimator for each scenario. For the same run they share one ReplayContext; the first that
// needs a replay computes it. The sharing is a cache: it changes no result. They are not safe for concurrent use.
func Shared(scenarios []Scenario, model Model, options Options) []Estimator {
	c := &common{model: model, options: options}
	out := make([]Estimator, len(scenarios))
	for i, s := range scenarios {
		out[i] = shared{s, c}
	}
	return out
}

type shared struct {
	scenario Scenario
	common   *common
}

func (s shared) Estimate(run dag.Run) (Estimate, error) { return s.scenario.Of(s.common.of(run)) }

// common caches the context of the last run.
type common struct {
	model   Model
	options Options
	context *ReplayContext
}

func (c *common) of(run dag.Run) *ReplayContext {
	switch {
	case c.context == nil:
		c.context = NewReplayContext(run, c.model, c.options)
	case !sameRun(c.context.Run, run):
		c.context = c.context.Next(run)
	}
	return c.context
}

func sameRun(a, b dag.Run) bool {
	if len(a.Window) != len(b.Window) || len(a.Anchors) != len(b.Anchors) {
		return false
	}
	for i := range a.Window {
		if a.Window[i] != b.Window[i] {
			return false
		}
	}
	for i := range a.Anchors {
		if a.Anchors[i] != b.Anchors[i] {
			return false
		}
	}
	return true
}
