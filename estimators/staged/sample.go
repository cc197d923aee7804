package staged

import (
	"math"
	"slices"
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
	vertexSigma = 2.2
	// firstsSigma is the same of a stage of which nothing has ended but the first task on each core.
	firstsSigma   = 0.5
	taskSigma     = 0.1  // a task's work
	startSigma    = 0.35 // launches of containers
	rateSamplesMS = 4000
	// mostFaster bounds the logarithm of how many times as fast the tasks to come of a stage are expected to be.
	mostFaster = 1.6
	// mostDoubt bounds how uncertain the load of executors is taken to be.
	mostDoubt = 1.0
	// drawnHead is how uncertain it is what the first tasks of a stage on a core take beyond their work.
	drawnHead = 0.8
)

// A sampling is what one tick prepares of a model for its draws. It is only read by them.
type sampling struct {
	m        *Model
	stages   [][]stageSampling
	running  map[*dag.Attempt]restOf
	pauses   []estimators.Rest // of Model.pauses
	failures estimators.FailureLaw
}

// A restOf says how much work a running attempt has left, how much of that is overhead, and how long its task takes if
// Spark starts a copy of it.
type restOf struct {
	estimators.Rest
	over, copied float64
}

// drawn is what is left in a draw, in milliseconds, by a uniform number, by how many times as long work takes as
// expected, and by how many times as long overhead does.
func (r *restOf) drawn(u, work, load float64) float64 {
	return min(r.At(u, work*(1+r.over*(load-1))), work*r.copied)
}

type stageSampling struct {
	own  estimators.Factors
	rate float64 // sigma of the common factor
	less float64 // its median
}

// sampling prepares draws. It is nil where nothing has shown what any work takes.
func (m *Model) sampling() func(estimators.Draws) estimators.Drawn {
	s := &sampling{m: m, stages: make([][]stageSampling, len(m.stages)), running: map[*dag.Attempt]restOf{}}
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
			s.running[a] = restOf{m.rest(l, a, s.stages[j][k].own), m.overheadOf(l, a), m.copied(l, a)}
		}
	})
	if !scale || m.untold() {
		return nil
	}
	for _, p := range m.pauses {
		s.pauses = append(s.pauses, estimators.NewRest(taskcost.MS(p.expected), taskcost.MS(p.waited),
			estimators.NewFactors(nil, profiledSigma), 1))
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
		expected := e.units*l.rate + l.every
		if e.task < len(l.slow) {
			expected += e.units * l.rate * (l.slow[e.task] - 1)
		}
		if e.first && !e.cold {
			expected += l.head
		}
		if expected > taskcost.LeastMS && e.work > taskcost.LeastMS {
			residuals = append(residuals, math.Log(e.work/expected))
		}
	}
	p := stageSampling{own: estimators.NewFactors(residuals, taskSigma), less: 1}
	switch {
	case l.prior.own && l.origin == schedule.Profiled:
		p.rate = taskSigma
	case l.origin == schedule.Observed:
		p.rate = watchedSigma * math.Sqrt(rateSamplesMS/(rateSamplesMS+l.seen.work))
		if l.onlyFirsts() {
			p.rate = math.Hypot(p.rate, firstsSigma)
		}
		if n := len(l.seen.ended); l.faster > 0 && !(l.prior.rate > 0) && len(l.firsts) > 0 {
			// Tasks may go on to become faster as they did, or no more.
			gain := min(l.faster*math.Log(float64(len(l.size))/float64(n)), mostFaster)
			p.rate, p.less = math.Hypot(p.rate, gain/2), math.Exp(-gain/2)
		}
	case l.origin == schedule.Profiled:
		p.rate = profiledSigma
	default:
		p.rate = assumedSigma
	}
	return p
}

// onlyFirsts reports whether all tasks of a stage that have ended were the first on their cores, and no profile tells
// what others take. These may take as long, or a tenth.
func (l *law) onlyFirsts() bool {
	later := func(e ended) bool { return !e.first && !e.cold }
	return len(l.firsts) > 0 && !(l.prior.rate > 0) && !slices.ContainsFunc(l.seen.ended, later)
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
	other, load := 1.0, 1.0
	if s.m.onCores() {
		other = estimators.LogNormal(d.Common(estimators.ForSize, 0, 0), s.m.paceDoubt)
		load = estimators.LogNormal(d.Common(estimators.ForSetup, 0, 0),
			min(math.Hypot(startSigma, s.m.loadDoubt), mostDoubt))
		start = load
	}
	scale, head := make([][]float64, len(s.stages)), make([][]float64, len(s.stages))
	for j := range scale {
		scale[j], head[j] = make([]float64, len(s.stages[j])), make([]float64, len(s.stages[j]))
		for k := range scale[j] {
			u := d.Common(estimators.ForRate, j, dag.StageIndex(k)) //nolint:gosec // an index
			scale[j][k] = speed * s.stages[j][k].less * estimators.LogNormal(u, s.stages[j][k].rate)
			if s.m.stages[j][k].origin == schedule.Profiled {
				scale[j][k] *= other
			}
			if head[j][k] = start; s.m.onCores() {
				u := d.Common(estimators.ForSetup, j+1, dag.StageIndex(k)) //nolint:gosec // an index
				head[j][k] *= estimators.LogNormal(u, drawnHead)
			}
		}
	}
	left := func(t schedule.Task) schedule.Cost {
		u := d.Task(estimators.ForWork, t.Job, t.Stage, t.Index, t.Attempt)
		f := scale[t.Job][t.Stage]
		if t.Running != nil {
			if r, ok := s.running[t.Running]; ok {
				return schedule.Cost{Work: taskcost.Duration(r.drawn(u, f, load)), Same: 1}
			}
		}
		cost := s.m.leftAlone(t)
		cost.Setup = time.Duration(float64(cost.Setup/time.Millisecond)*head[t.Job][t.Stage]) * time.Millisecond
		cost.Work = taskcost.Duration(taskcost.MS(cost.Work) * f * s.stages[t.Job][t.Stage].own.At(u))
		return cost
	}
	drawn := estimators.Drawn{Snapshot: s.drawPauses(d), Left: left, Fault: s.failures.Fault(d, s.m.snapshot.At)}
	if s.m.snapshot.Plan.Open {
		drawn.Later = s.m.later(d.Common(estimators.ForOther, 0, 0))
	}
	return drawn
}

// nothingLater is how likely it is that an application submits nothing more, as far as nobody knows its program.
const nothingLater = 0.3

// laterShare takes away from that what the work which is known tells: most applications announce most of their work
// early.
const laterShare = 0.2

// mostLater bounds what is expected of work that nobody has announced, in lengths of the run so far.
const mostLater = 20

// later draws how long work takes that nobody has announced, by a uniform number. Of an application of which nothing is
// known but how long it has run, any moment of it is as likely to be this one: the whole is so many times as long that
// the part which has passed is uniform.
func (m *Model) later(u float64) func(known time.Duration) time.Duration {
	s := m.snapshot
	elapsed := time.Duration(0)
	if from := s.Origin(); from.Known() {
		elapsed = max(0, s.At.Sub(from))
	}
	return func(known time.Duration) time.Duration {
		if u < nothingLater {
			return 0
		}
		passed := 1 - (u-nothingLater)/(1-nothingLater)
		times := min(laterShare*(1/passed-1), mostLater)
		whole := float64(elapsed) + float64(known)
		return time.Duration(math.Min(times*whole, float64(dag.MaxLength)))
	}
}
