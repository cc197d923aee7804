package staged

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// How far costs may be off, as standard deviations of logarithms, before this run has shown any of them.
const (
	driftSigma    = 0.12 // the cluster from now on
	watchedSigma  = 0.25 // a stage's rate in this run, shrinking with what was watched of it
	profiledSigma = 0.4  // a stage's rate where only a profile tells it
	// the same in a job whose containers are launched, where launches take their part of the uncertainty
	launchedSigma = 0.2
	assumedSigma  = 1.4 // where nothing does
	// the same of a vertex of Tez, and of a stage that is not submitted: half of them sort or count what others wrote,
	// in no time, others do all of the work
	vertexSigma   = 2.2
	taskSigma     = 0.1  // a task's work
	startSigma    = 0.35 // launches of containers
	rateSamplesMS = 4000
)

// A sampling is what one tick prepares of a model for its draws. It is only read by them.
type sampling struct {
	m        *Model
	stages   [][]stageSampling
	running  map[*dag.Attempt]estimators.Rest
	failures estimators.FailureLaw
}

type stageSampling struct {
	own  estimators.Factors
	rate float64 // sigma of the common factor
}

// sampling prepares draws. It is nil where nothing has shown what any work takes.
func (m *Model) sampling() func(estimators.Draws) estimators.Drawn {
	s := &sampling{m: m, stages: make([][]stageSampling, len(m.stages)), running: map[*dag.Attempt]estimators.Rest{}}
	scale, sum, n := false, 0.0, 0.0
	for j := range m.stages {
		s.stages[j] = make([]stageSampling, len(m.stages[j]))
	}
	m.each(func(j int, k dag.StageIndex, l *law) {
		scale = scale || l.origin < schedule.Assumed
		for i := range l.size {
			sum, n = sum+l.work(i), n+1
		}
		s.stages[j][k] = l.spread()
		job := &m.snapshot.Plan.Jobs[j]
		if job.Rules == dag.AncestorsFirst || job.Stages[k].Foreseen {
			switch {
			case l.origin >= schedule.Assumed:
				s.stages[j][k].rate = vertexSigma
			case l.origin == schedule.Profiled && !l.prior.own:
				s.stages[j][k].rate = launchedSigma
			}
		}
		for _, a := range l.seen.running {
			s.running[a] = m.rest(l, a, s.stages[j][k].own)
		}
	})
	if !scale {
		return nil
	}
	s.failures = estimators.NewFailureLaw(m.snapshot, sum/max(n, 1))
	return s.sample
}

func (l *law) spread() stageSampling {
	var residuals []float64
	for _, e := range l.seen.ended {
		if l.recent > 0 && e.end < l.lately {
			continue
		}
		expected := e.units * l.rate
		if expected > taskcost.LeastMS && e.work > taskcost.LeastMS {
			residuals = append(residuals, math.Log(e.work/expected))
		}
	}
	p := stageSampling{own: estimators.NewFactors(residuals, taskSigma)}
	switch {
	case l.prior.own && l.origin == schedule.Profiled:
		p.rate = taskSigma
	case l.origin == schedule.Observed:
		p.rate = watchedSigma * math.Sqrt(rateSamplesMS/(rateSamplesMS+l.seen.work))
	case l.origin == schedule.Profiled:
		p.rate = profiledSigma
	default:
		p.rate = assumedSigma
	}
	return p
}

// rest is what is left of a running attempt: by its counters if these tell it, else by its age.
func (m *Model) rest(l *law, a *dag.Attempt, own estimators.Factors) estimators.Rest {
	whole := l.work(int(a.Task)) + m.extraOf(l, a)
	if !l.ready() || !a.Start.Known() {
		return estimators.NewRest(whole, 0, own, 1)
	}
	age := max(0, float64(m.snapshot.At-l.begin(a)))
	left, _ := m.leftOf(l, a)
	shown := l.progress(a)
	if d := l.worked(a); l.seen.records && d > 0 {
		shown = max(shown, d/l.size[a.Task])
	}
	if shown > 0 {
		return estimators.NewRest(left, 0, own, math.Sqrt(max(0, 1-shown)))
	}
	return estimators.NewRest(whole, age, own, 1)
}

// sample draws a world.
func (s *sampling) sample(d estimators.Draws) estimators.Drawn {
	speed := estimators.LogNormal(d.Common(estimators.ForSpeed, 0, 0), driftSigma)
	start := estimators.LogNormal(d.Common(estimators.ForSetup, 0, 0), startSigma)
	scale := make([][]float64, len(s.stages))
	for j := range scale {
		scale[j] = make([]float64, len(s.stages[j]))
		for k := range scale[j] {
			u := d.Common(estimators.ForRate, j, dag.StageIndex(k)) //nolint:gosec // an index
			scale[j][k] = speed * estimators.LogNormal(u, s.stages[j][k].rate)
		}
	}
	left := func(t schedule.Task) schedule.Cost {
		u := d.Task(estimators.ForWork, t.Job, t.Stage, t.Index, t.Attempt)
		f := scale[t.Job][t.Stage]
		if t.Running != nil {
			if r, ok := s.running[t.Running]; ok {
				return schedule.Cost{Work: taskcost.Duration(r.At(u, f)), Same: 1}
			}
		}
		cost := s.m.leftAlone(t)
		cost.Setup = time.Duration(float64(cost.Setup/time.Millisecond)*start) * time.Millisecond
		cost.Work = taskcost.Duration(taskcost.MS(cost.Work) * f * s.stages[t.Job][t.Stage].own.At(u))
		return cost
	}
	return estimators.Drawn{Snapshot: s.m.snapshot, Left: left, Fault: s.failures.Fault(d, s.m.snapshot.At)}
}
