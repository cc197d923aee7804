package past

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/units"
)

// A scoreRecorder is a sink that records the estimates of each estimator.
type scoreRecorder struct {
	from    float64 // ticks before these seconds of the run do not count
	names   []string
	samples map[string][]estimators.Sample
	back    map[string]int
	ends    map[string]float64 // the last predicted end, in seconds of the run
	last    frame.Frame
	ranges  []estimators.RangeSample
	rough   int // number of rough ranges
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
	l.addRange(f)
	for i, e := range f.Estimates {
		remaining := e.RemainingSeconds
		if i == 0 {
			remaining = f.Headline.RemainingSeconds // a lower bound is not an estimate
		}
		l.add(e.Scenario, f, number(remaining), math.NaN(), i == 0 && explained(f.Changes))
	}
	for _, o := range f.Others {
		p := math.NaN()
		if o.ProgressRatio != nil {
			p = float64(*o.ProgressRatio)
		}
		l.add(o.Name, f, number(o.RemainingSeconds), p, false)
	}
	return nil
}

func (l *scoreRecorder) addRange(f frame.Frame) {
	if len(f.Left) == 0 || !(float64(*f.ElapsedSeconds) > 0) || float64(*f.ElapsedSeconds) < l.from {
		return
	}
	l.ranges = append(l.ranges, estimators.NewRangeSample(f.ElapsedSeconds.Duration(), f.Left))
	if f.Headline.Rough {
		l.rough++
	}
}

func (l *scoreRecorder) add(name string, f frame.Frame, remaining, progress float64, explained bool) {
	if l.samples == nil {
		l.samples, l.back, l.ends = map[string][]estimators.Sample{}, map[string]int{}, map[string]float64{}
	}
	if _, known := l.samples[name]; !known {
		l.names = append(l.names, name)
		l.samples[name] = nil
	}
	if float64(*f.ElapsedSeconds) < l.from {
		return
	}
	s := estimators.Sample{Elapsed: float64(*f.ElapsedSeconds), Remaining: remaining, Progress: progress}
	l.samples[name] = append(l.samples[name], s)
	end := predicted(s)
	if was, ok := l.ends[name]; ok && end > was && explain.Moved(seconds(end-was), seconds(end)) && !explained {
		l.back[name]++
	}
	if !math.IsNaN(end) && !math.IsInf(end, 0) {
		l.ends[name] = end
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

func number(s *frame.Seconds) float64 {
	if s == nil {
		return math.NaN()
	}
	return float64(*s)
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
	for _, name := range l.names {
		g := estimators.Grade(total, l.samples[name])
		r.Ticks = g.Ticks
		r.Estimators = append(r.Estimators, estimatorScore{
			Name: name, MeanPoints: units.Rounded(g.MeanPoints), MedianPoints: units.Rounded(g.MedianPoints),
			P90Points: units.Rounded(g.P90Points),
			MaxPoints: units.Rounded(g.MaxPoints), BiasPoints: units.Rounded(g.BiasPoints),
			MeanSeconds:     units.Rounded(g.MeanSeconds),
			NoEstimateRatio: units.Rounded(g.NoEstimate), FirstEstimateSeconds: units.Rounded(g.FirstEstimate),
			HalfTimePoints: units.Rounded(g.HalfTime),
			StepsBack:      l.back[name],
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
