package past

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/units"
)

// A scoreRecorder is a sink that records the estimates of each estimator.
type scoreRecorder struct {
	from   float64 // ticks before these seconds of the run do not count
	all    []*scored
	last   frame.Frame
	ranges []estimators.RangeSample
	rough  int // number of rough ranges
}

// A scored is an estimator along a run.
type scored struct {
	name    string
	samples []estimators.Sample
	back    int
	end     float64 // the last predicted one, in seconds of the run; 0: none yet
}

// Show records the frame's numbers. It ignores stale frames, which repeat others.
func (l *scoreRecorder) Show(tick frame.Tick) error {
	f := tick.Frame
	if f.StaleSeconds > 0 || f.ElapsedSeconds == nil {
		return nil
	}
	l.last = f
	if f.Workflow.State.Ended() {
		return nil
	}
	elapsed := float64(*f.ElapsedSeconds)
	if len(f.Left) > 0 && elapsed > 0 && elapsed >= l.from {
		l.ranges = append(l.ranges, estimators.NewRangeSample(f.ElapsedSeconds.Duration(), f.Left))
		if f.Headline.Rough {
			l.rough++
		}
	}
	for i, e := range f.Estimates {
		remaining := e.RemainingSeconds
		if i == 0 {
			remaining = f.Headline.RemainingSeconds // a lower bound is not an estimate
		}
		l.add(e.Scenario, estimators.Sample{Elapsed: elapsed, Remaining: number(remaining), Progress: math.NaN()},
			i == 0 && explained(f.Changes))
	}
	for _, o := range f.Others {
		l.add(o.Name, estimators.Sample{
			Elapsed: elapsed, Remaining: number(o.RemainingSeconds), Progress: number(o.ProgressRatio),
		}, false)
	}
	return nil
}

func (l *scoreRecorder) add(name string, s estimators.Sample, explained bool) {
	i := slices.IndexFunc(l.all, func(e *scored) bool { return e.name == name })
	if i < 0 {
		i = len(l.all)
		l.all = append(l.all, &scored{name: name})
	}
	if s.Elapsed < l.from {
		return
	}
	e, end := l.all[i], predicted(s)
	e.samples = append(e.samples, s)
	if e.end > 0 && end > e.end && explain.Moved(seconds(end-e.end), seconds(end)) && !explained {
		e.back++
	}
	if !math.IsNaN(end) && !math.IsInf(end, 0) {
		e.end = end
	}
}

// predicted returns the end that a sample predicts, in seconds of the run.
func predicted(s estimators.Sample) float64 {
	if math.IsNaN(s.Remaining) {
		return s.Elapsed / s.Progress
	}
	return s.Elapsed + s.Remaining
}

func seconds(s float64) time.Duration { return frame.Seconds(s).Duration() }

func number[T ~float64](v *T) float64 {
	if v == nil {
		return math.NaN()
	}
	return float64(*v)
}

// explained reports whether most of a move has a known cause.
func explained(changes []frame.Change) bool {
	var all, other float64
	for _, c := range changes {
		all += float64(c.DeltaSeconds)
		if c.Reason == string(explain.ReasonOther) {
			other = float64(c.DeltaSeconds)
		}
	}
	return len(changes) > 0 && math.Abs(other) <= math.Abs(all)/2
}

func (l *scoreRecorder) score(path string) runScore {
	total := float64(*l.last.ElapsedSeconds)
	r := runScore{File: path, WorkflowID: l.last.Workflow.ID, TotalSeconds: total}
	for _, e := range l.all {
		g := estimators.Grade(total, e.samples)
		r.Ticks = g.Ticks
		r.Estimators = append(r.Estimators, estimatorScore{
			Name: e.name, MeanPoints: units.Rounded(g.MeanPoints), MedianPoints: units.Rounded(g.MedianPoints),
			P90Points: units.Rounded(g.P90Points),
			MaxPoints: units.Rounded(g.MaxPoints), BiasPoints: units.Rounded(g.BiasPoints),
			MeanSeconds:     units.Rounded(g.MeanSeconds),
			NoEstimateRatio: units.Rounded(g.NoEstimate), FirstEstimateSeconds: units.Rounded(g.FirstEstimate),
			HalfTimePoints: units.Rounded(g.HalfTime),
			StepsBack:      e.back,
		})
	}
	g := estimators.GradeRanges(total, l.ranges)
	r.RangeTicks, r.CRPSSeconds, r.RoughRatio = g.Ticks, units.Rounded(g.CRPS),
		units.Rounded(float64(l.rough)/float64(len(l.ranges)))
	for i, level := range g.Levels {
		r.Coverage = append(r.Coverage, rangeScore{
			estimators.Levels[i], units.Rounded(level.Held),
			units.Rounded(level.Width), units.Rounded(level.IntervalScore),
		})
	}
	return r
}
