package estimators

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
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
		{"skew_low", "data skew at its best: the long reduces run beside each other", underSkew(skewLow)},
		{"skew_high", "data skew at its worst: the long reduces run one after another", underSkew(skewHigh)},
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
			underSkew(skewLowAsPrinted),
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
	last := &lastContext{&ReplayContext{model: model, options: options}} // of no run yet
	out := make([]Estimator, len(scenarios))
	for i, s := range scenarios {
		out[i] = shared{s, last}
	}
	return out
}

// A lastContext is the context of the last run that one of some scenarios has estimated.
type lastContext struct{ *ReplayContext }

type shared struct {
	Scenario
	last *lastContext
}

func (s shared) Estimate(run dag.Run) (Estimate, error) {
	if !sameRun(s.last.Run, run) {
		s.last.ReplayContext = s.last.Next(run)
	}
	return s.Of(s.last.ReplayContext)
}

func sameRun(a, b dag.Run) bool {
	return slices.Equal(a.Window, b.Window) && slices.Equal(a.Anchors, b.Anchors)
}

// standard replays the scheduler from the snapshot at each tick; the time remaining is the length of the critical
// path ("maximum overhead and accuracy", section 3.1.4; facts/paratimer.md A4, P14). If no cost of the
// remaining work is known, the time is a floor.
func standard(w *ReplayContext) (Estimate, error) {
	if w.ended() {
		return w.EstimateOf(0), nil
	}
	ms, err := w.standardMS()
	if err != nil {
		return Estimate{}, err
	}
	e := w.scenario(ms)
	e.Warnings = w.warnings()
	if factors := w.Costs.NodeFactors; factors != nil {
		e.Nodes = factors()
	}
	return w.supposing(0, e), nil
}

// standardMS returns the time remaining in milliseconds: the length of the critical path, which is the replay's
// (facts/paratimer.md A3).
func (w *ReplayContext) standardMS() (float64, error) {
	if w.ended() {
		return 0, nil
	}
	path, err := w.Path()
	if err != nil {
		return 0, err
	}
	return float64(path.Schedule.End - path.Schedule.Now), nil
}

// scenario makes an Estimate from a time that rests on the replay.
func (w *ReplayContext) scenario(ms float64) Estimate {
	e := w.EstimateOf(ms)
	if w.ended() {
		return e
	}
	e.Path = w.path
	e.Origin, e.AssumedRatio = w.Trust()
	e.Measured = w.Costs.Measured
	return w.early(e)
}

// EstimateOfCosts makes an Estimate from a time in milliseconds that rests on the tasks' costs, but on no replay.
func (w *ReplayContext) EstimateOfCosts(ms float64) Estimate {
	e := w.EstimateOf(ms)
	if w.ended() {
		return e
	}
	e.Origin = w.leastSure(func(int, dag.StageIndex) bool { return true })
	return w.early(e)
}

// early turns an estimate into a floor if it comes too early, or covers only a part of the work.
func (w *ReplayContext) early(e Estimate) Estimate {
	open := w.Run.Now().Plan.Open
	if w.Unknown() || open && w.Costs.Later == nil {
		e.Low, e.Remaining, e.Progress = e.Remaining, nil, math.NaN()
		if w.Costs.AssumedRatio != nil { // assumed start-ups and pauses are not in a lower bound
			low := taskcost.Exact(taskcost.MS(*e.Low) * (1 - e.AssumedRatio))
			e.Low = &low
		}
		return e
	}
	if open && e.Remaining != nil {
		later, more := w.Costs.Later(*e.Remaining)
		f := w.EstimateOf(taskcost.MS(*e.Remaining + later))
		e.Low, e.Remaining, e.Progress, e.More = e.Remaining, f.Remaining, f.Progress, &more
	}
	return e
}

// bestGuess is the paper's best guess under data skew (section 4.4): every task has its own size, and tasks start
// in the expected order of the scheduler. This is the standard replay. Low and High are bounds over all other
// orders: the tighter lower bound and Algorithm 1's upper one.
func bestGuess(w *ReplayContext) (Estimate, error) {
	ms, err := w.standardMS()
	if err != nil {
		return Estimate{}, err
	}
	e := w.scenario(ms)
	if w.Unknown() || w.ended() {
		return e, nil
	}
	b := w.skewBounds()
	low, high := taskcost.Exact(min(b.low, ms)), taskcost.Exact(max(b.high, ms))
	e.Low, e.High = &low, &high
	return e, nil
}

// alone removes every other application from now on. The limits of queues and users stay.
func alone(_ dag.Run, s *dag.Snapshot) { s.Load = nil }

// tolerances returns the caller's tolerances, else those that are derived from the schedule.
func (w *ReplayContext) tolerances(s *schedule.Schedule) pathfrag.Params {
	if w.options.Path != nil {
		return *w.options.Path
	}
	return Tolerances(s, w.Now().Plan, w.Run)
}

// Tolerances returns tolerances for a schedule of a run and its plan, since the paper gives none: delta1 = max(5%
// of the median task time, two ticks), delta2 = set-up + a heartbeat. They change the displayed rounds and
// fragments, never a time.
func Tolerances(s *schedule.Schedule, plan *dag.Plan, run dag.Run) pathfrag.Params {
	par := pathfrag.Params{Delta1: medianSpan(s) / 20, Delta2: taskcost.Heartbeat}
	par.Delta2 += max(0, plan.Cluster.Setup)
	if n := len(run.Seen); n > 1 {
		if tick := run.Now().At.Sub(run.Seen[n-2]); tick > 0 {
			par.Delta1 = max(par.Delta1, 2*tick)
		}
	}
	return par
}

// medianSpan returns the median length of the schedule's spans of tasks.
func medianSpan(s *schedule.Schedule) time.Duration {
	var lengths []time.Duration
	for i := range s.Spans {
		if span := &s.Spans[i]; span.Count > 0 {
			lengths = append(lengths, span.End.Sub(span.Start))
		}
	}
	if len(lengths) == 0 {
		return 0
	}
	slices.Sort(lengths)
	return lengths[len(lengths)/2]
}
