package estimators

import (
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
)

// Options change how a ReplayContext reads a run. The zero Options are the defaults.
type Options struct {
	// Path are the tolerances of rounds and fragments; 0 is a valid tolerance. If it is nil, Tolerances chooses
	// them. They change the displayed rounds, the tracking of standard_static and the bounds of skew, never the
	// standard estimate.
	Path *pathfrag.Params
	// Samples is the number of replays for a distribution in one tick, fewer if very many tasks are left; 0: 128.
	Samples int
}

// A ReplayContext has the data that the scenarios of one tick share: the run, the costs of its tasks, the replayed
// schedule and the path through it. Schedule and path are computed once, on first use. It is not safe for concurrent
// use.
type ReplayContext struct {
	Run   dag.Run
	Costs Costs

	now      *dag.Snapshot // the run's newest, completed by the model
	model    Model
	options  Options
	phases   [][]StageLeft // by job and stage
	schedule *schedule.Schedule
	path     *pathfrag.Path
	critical [][]bool // by job and stage: whether path runs over its tasks
	trusted  bool     // origin and assumed are computed
	origin   schedule.Origin
	assumed  float64
	bounds   *bounds // under skew
	err      error
	// context of the anchor that standard_static planned from, and the anchor
	planned *ReplayContext
	anchor  *dag.Snapshot
}

// NewReplayContext returns the context of a run, with the costs of model.
func NewReplayContext(run dag.Run, model Model, options Options) *ReplayContext {
	w := &ReplayContext{Run: run, Costs: model(run), now: run.Now(), model: model, options: options}
	if w.Costs.Completed != nil {
		w.now = w.Costs.Completed
	}
	return w
}

// Next returns the context of a later moment of the same run. It gives the same results as NewReplayContext, but
// keeps the plan of standard_static as long as nothing new has failed.
func (w *ReplayContext) Next(run dag.Run) *ReplayContext {
	next := NewReplayContext(run, w.model, w.options)
	next.planned, next.anchor = w.planned, w.anchor
	return next
}

// AtAnchor returns the context of the run's newest anchor. It is kept as long as the anchor stays.
func (w *ReplayContext) AtAnchor() *ReplayContext {
	anchor := w.Run.Now()
	if n := len(w.Run.Anchors); n > 0 {
		anchor = w.Run.Anchors[n-1]
	}
	if anchor == w.Run.Now() {
		return w
	}
	if w.planned == nil || w.anchor != anchor {
		run := dag.Run{Window: []*dag.Snapshot{anchor}, Anchors: []*dag.Snapshot{anchor}}
		w.planned, w.anchor = NewReplayContext(run, w.model, w.options), anchor
	}
	return w.planned
}

// Now returns the newest snapshot, with its plan completed by the cost model. Run.Now is the snapshot as observed.
func (w *ReplayContext) Now() *dag.Snapshot { return w.now }

// Schedule replays the scheduler from the newest snapshot.
func (w *ReplayContext) Schedule() (*schedule.Schedule, error) {
	if w.schedule == nil && w.err == nil {
		w.schedule, w.err = schedule.Replay(w.Now(), w.Costs.Left, schedule.Options{})
	}
	return w.schedule, w.err
}

// Path returns the critical path of Schedule.
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

// End replays the remaining work with the given costs and returns the predicted end, or the error of the replay.
func (w *ReplayContext) End(left schedule.Left) (dag.Instant, error) {
	s, err := schedule.Replay(w.Now(), left, schedule.Options{FutureOnly: true})
	if err != nil {
		return dag.NoInstant, err
	}
	return s.End, nil
}

// ended reports whether the run has ended, so that nothing remains.
func (w *ReplayContext) ended() bool { return w.Now().State.Ended() }

// ElapsedMS returns the time since the first job was submitted in milliseconds, 0 before.
func (w *ReplayContext) ElapsedMS() float64 { return taskcost.MS(w.Now().Elapsed()) }

// progress returns equation (1), with the misprint in the paper's numerator corrected: elapsed / (elapsed +
// remaining) (facts/paratimer.md P1).
func (w *ReplayContext) progress(remainingMS float64) float64 {
	elapsed := w.ElapsedMS()
	if w.ended() {
		return 1
	}
	if elapsed == 0 {
		return 0
	}
	return elapsed / (elapsed + remainingMS)
}

// EstimateOf makes an Estimate from remaining milliseconds.
func (w *ReplayContext) EstimateOf(ms float64) Estimate {
	if w.ended() {
		ms = 0
	}
	d := taskcost.Exact(ms)
	return Estimate{Remaining: &d, Progress: w.progress(ms)}
}

// EstimateOfRatio makes an Estimate for an estimator that only has a share of work done, 0..1 or NaN.
func (w *ReplayContext) EstimateOfRatio(f float64) Estimate {
	if w.ended() {
		f = 1
	}
	return Estimate{Progress: min(max(f, 0), 1)}
}

// Trust returns the least sure origin of the costs on the critical path, and the share of the remaining time in
// which only tasks of assumed or unknown cost run. It needs Path. A job of unknown size is unknown.
func (w *ReplayContext) Trust() (schedule.Origin, float64) {
	if !w.trusted {
		w.trusted = true
		w.origin, w.assumed = w.leastSure(w.onPath), w.assumedRatio()
	}
	return w.origin, w.assumed
}

// leastSure returns the least sure origin of the remaining work of the stages that count.
func (w *ReplayContext) leastSure(counts func(job int, k dag.StageIndex) bool) schedule.Origin {
	worst := schedule.Observed
	w.EachStage(func(job int, k dag.StageIndex, p *StageLeft) {
		if p.Unfinished() > 0 && p.Worst > worst && counts(job, k) {
			worst = p.Worst
		}
		if !p.Known && !w.Now().JobEnded(job) {
			worst = schedule.Unknown
		}
	})
	return worst
}

func (w *ReplayContext) assumedRatio() float64 {
	if w.schedule.End <= w.schedule.Now {
		return 0
	}
	if assumed := w.Costs.AssumedRatio; assumed != nil {
		return assumed(w.schedule)
	}
	var sure dag.Instant
	reached := w.schedule.Now
	for i := range w.schedule.Spans { // sorted by start
		s := &w.schedule.Spans[i]
		end := min(s.End, w.schedule.End) // running tasks of a failed job may end later
		if from := max(s.Start, reached); from < end && !w.unseen(s) {
			sure += end - from
			reached = end
		}
	}
	return 1 - float64(sure)/float64(w.schedule.End-w.schedule.Now)
}

// unseen reports whether the costs of a span's tasks are assumed or unknown. A pause is known.
func (w *ReplayContext) unseen(s *schedule.Span) bool {
	if s.Count == 0 {
		return false
	}
	p := w.Stage(int(s.Job), s.Stage)
	if p.Worst < schedule.Assumed || p.Best >= schedule.Assumed {
		return p.Worst >= schedule.Assumed
	}
	g, ok := p.At(int(s.First))
	return ok && g.Origin >= schedule.Assumed
}

// onPath reports whether the critical path runs over tasks of a stage.
func (w *ReplayContext) onPath(job int, k dag.StageIndex) bool {
	if w.critical == nil {
		w.critical = dag.ByStage[bool](w.Now().Plan)
		for _, seg := range w.path.Critical {
			for _, r := range w.path.Fragments[seg.Fragment].Rounds {
				for _, i := range w.path.Rounds[r].Spans {
					if s := &w.path.Schedule.Spans[i]; s.Count > 0 && !s.Past {
						w.critical[s.Job][s.Stage] = true
					}
				}
			}
		}
	}
	return w.critical[job][k]
}

// Unknown reports whether work is left and none of it has a known cost.
func (w *ReplayContext) Unknown() bool {
	known, open := false, false
	w.EachStage(func(job int, _ dag.StageIndex, p *StageLeft) {
		open = open || !p.Known && !w.Now().JobEnded(job)
		if p.Unfinished() > 0 {
			open = true
			known = known || p.Best != schedule.Unknown
		}
	})
	return open && !known
}

// warnings returns the cost model's own warnings and one for each stage of unknown size or assumed cost.
func (w *ReplayContext) warnings() []dag.Warning {
	out := slices.Clone(w.Costs.Warnings)
	w.EachStage(func(job int, k dag.StageIndex, p *StageLeft) {
		plan := w.Now().Plan
		if !p.Known && !w.Now().JobEnded(job) {
			out = append(out, dag.Warningf(dag.WarnUnknownSize, "the number of %s tasks of %s is unknown",
				plan.StageName(job, k), plan.JobName(job)))
		} else if p.Unfinished() > 0 && p.Worst >= schedule.Assumed {
			out = append(out, dag.Warningf(dag.WarnAssumedCost, "no data yet for %s tasks%s: their cost is assumed",
				plan.StageName(job, k), plan.OfJob(job)))
		}
	})
	return out
}
