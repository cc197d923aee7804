package estimators

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// Options change how a ReplayContext reads a run. The zero Options are the defaults.
type Options struct {
	// Path holds the tolerances of rounds and fragments, 0 being a tolerance as any other; if it is nil, Tolerances
	// chooses them. They change what is shown, what standard_static tracks and the bounds of skew, never the standard
	// estimate.
	Path *pathfrag.Params
	// Samples is how many replays a tick makes for a distribution, fewer if very many tasks are left; 0: 128.
	Samples int
}

// A ReplayContext is all that the scenarios of one tick share: the run, what its tasks cost, and, made once when first
// asked for, the replayed schedule and the path through it. A ReplayContext is not safe for concurrent use.
type ReplayContext struct {
	Run   dag.Run
	Costs Costs

	now     *dag.Snapshot // the run's newest, completed by the model
	model   Model
	options Options
	unfinished
	schedule *schedule.Schedule
	path     *pathfrag.Path
	critical [][]bool // by job and stage: those that path runs over
	trusted  bool     // origin and assumed are made
	origin   schedule.Origin
	assumed  float64
	// bounds under skew, made once
	loose, tight *bounds
	err          error
	// the context of the anchor that standard_static planned from, and that it was planned for
	planned *ReplayContext
	anchor  *dag.Snapshot
}

// NewReplayContext makes the context of a run, whose costs the model knows.
func NewReplayContext(run dag.Run, model Model, options Options) *ReplayContext {
	w := &ReplayContext{Run: run, Costs: model(run), now: run.Now(), model: model, options: options}
	if w.Costs.Completed != nil {
		w.now = w.Costs.Completed
	}
	return w
}

// Next makes the context of a later moment of the same run. It answers as NewReplayContext does, but keeps the plan of
// standard_static as long as nothing new has failed.
func (w *ReplayContext) Next(run dag.Run) *ReplayContext {
	next := NewReplayContext(run, w.model, w.options)
	next.planned, next.anchor = w.planned, w.anchor
	return next
}

// Now is the newest snapshot, with the plan as far as the cost model could complete it. What was observed is Run.Now.
func (w *ReplayContext) Now() *dag.Snapshot { return w.now }

// Schedule replays the scheduler from the newest snapshot.
func (w *ReplayContext) Schedule() (*schedule.Schedule, error) {
	if w.schedule == nil && w.err == nil {
		w.schedule, w.err = schedule.Replay(w.Now(), w.Costs.Left, schedule.Options{})
	}
	return w.schedule, w.err
}

// Path is the critical path of Schedule.
func (w *ReplayContext) Path() (*pathfrag.Path, error) {
	if w.path == nil && w.err == nil {
		s, err := w.Schedule()
		if err != nil {
			return nil, err
		}
		w.path, w.err = pathfrag.Find(w.Now().Plan, s, w.tolerances(s))
	}
	return w.path, w.err
}

// ended says whether nothing can remain.
func (w *ReplayContext) ended() bool { return w.Now().State.Ended() }

// elapsedMS is the time since the first job was submitted, 0 before.
func (w *ReplayContext) elapsedMS() float64 {
	origin := w.Now().Origin()
	if !origin.Known() || origin > w.Now().At {
		return 0
	}
	return float64(w.Now().At - origin)
}

// progress is equation (1), whose numerator is a misprint in the paper: elapsed / (elapsed + remaining)
// (docs/facts/paratimer.md P1).
func (w *ReplayContext) progress(remainingMS float64) float64 {
	elapsed := w.elapsedMS()
	if w.ended() {
		return 1
	}
	if elapsed == 0 {
		return 0
	}
	return elapsed / (elapsed + remainingMS)
}

// estimate formats milliseconds remaining.
func (w *ReplayContext) estimate(ms float64) Estimate {
	if w.ended() {
		ms = 0
	}
	d := duration(ms)
	return Estimate{Remaining: &d, Progress: w.progress(ms)}
}

// ratio formats the answer of an estimator that knows only how much is done, 0..1 or NaN.
func (w *ReplayContext) ratio(f float64) Estimate {
	if w.ended() {
		f = 1
	}
	return Estimate{Progress: min(max(f, 0), 1)}
}
