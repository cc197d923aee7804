package observed

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// How far costs may be off, as standard deviations of logarithms, before this run has shown any of them. They are what
// real runs showed (docs/facts/measured.md 4 and 6), the rates rather twice that: the recordings are of one machine
// that had nothing else to do.
const (
	speedSigma   = 0.08 // the cluster from now on
	watchedSigma = 0.15 // a phase's rate in this run, shrinking with what was watched of it
	profileSigma = 0.25 // a phase's rate where only a profile tells it
	workSigma    = 0.06 // a task's work
	unsizedSigma = 0.4  // the size of a reduce that has told none
	setupSigma   = 0.35 // start-ups of this run, shrinking with those that were seen
	batchSigma   = 0.2  // start-ups of a phase, which share their causes
	startSigma   = 0.08 // a task's start-up, beside the others of its phase
	alikeSigma   = 0.3  // work of a phase that nobody has seen, but others like it
	wideSigma    = 1    // what is left of a running task of a phase that nobody has seen
	unseenTasks  = 0.3  // a task of an unseen phase, between the others
	pauseSigma   = 0.25
	// a job's end after its last task, where nobody has seen one: Hadoop 3 takes 0.2 s, a clean-up task of Hadoop 0.20
	// some seconds
	endSigma      = 1.6
	loadSigma     = 0.7
	needPower     = 0.5  // the power of that factor on tasks of others of which some are done,
	guessPower    = 1.3  // and on those of which none is
	unseenSigma   = 1    // how much an application takes of which nothing is known
	sharedSigma   = 0.25 // what all others have in common: those who come and go while we run
	rateSamplesMS = 4000

	// On a real cluster, as runs of ten scripts under other load each time differ (docs/accuracy.md): common to all
	// pauses and start-ups before any was seen, how many expectations a sighting weighs as much as, the cluster from
	// now on, and phases' rates.
	busySigma        = 0.7
	sightingWeight   = 3
	driftSigma       = 0.12
	busyWatchedSigma = 0.25
	busyProfileSigma = 0.4
)

// A sampling is what one tick prepares of a model for its draws. It is only read by them.
type sampling struct {
	m        *Model
	phases   [][2]phaseSampling
	running  map[*dag.Attempt]runningSampling
	start    estimators.Factors // of a phase's start-ups
	alone    estimators.Factors // of a task's, beside the others of its phase
	setup    float64            // sigma common to start-ups
	wide     estimators.Factors // of what is left of an attempt that says nothing of it
	inputs   float64            // sigma of the size of the query's input
	busy     float64            // sigma common to all pauses and start-ups
	speed    float64            // sigma common to all work
	watched  float64            // sigma of a phase's rate before it was watched for long
	profiled float64            // sigma of a phase's rate that only a profile tells
	scale    float64            // milliseconds of a mean map: what unseen phases are drawn by
	end      float64            // sigma of a job's end after its last task
	ending   estimators.Rest    // of the job that has waited longest for its end
	waited   float64            // for so many milliseconds; 0 where none does
	failures estimators.FailureLaw
}

type phaseSampling struct {
	own    estimators.Factors
	sizes  estimators.Factors
	sized  []bool // tasks whose size was told; nil: all are known
	uneven bool   // of maps: those that have told their sizes are not all of one size
	// anywhere is the work that the model expects of each task on a node that is not known. No draw changes it.
	anywhere []float64
	rate     float64 // sigma of the common factor
	unseen   bool
	alike    bool                 // unseen, but like others that were seen
	assumed  float64              // median work of a task where unseen
	each     []estimators.Factors // by task in place of own, of a phase that goes by its key groups
}

// of are the factors of a task.
func (p *phaseSampling) of(task int) estimators.Factors {
	if task < len(p.each) {
		return p.each[task]
	}
	return p.own
}

// A runningSampling is what is left of a running attempt.
type runningSampling struct {
	setup, work estimators.Rest
	starts      bool
	waits       bool
	left        time.Duration // of set-up, where it waits
	unseen      bool
	power       float64 // of the phase's factor
}

// Sampling prepares draws. It is nil where nothing has shown any work and something is left that no profile knows: then
// not even the scale of what remains is known.
func (m *Model) Sampling() func(estimators.Draws) estimators.Drawn {
	s := &sampling{
		m: m, wide: estimators.NewFactors(nil, wideSigma), speed: speedSigma, watched: watchedSigma,
		profiled: profileSigma, phases: make([][2]phaseSampling, len(m.phases)),
		running: map[*dag.Attempt]runningSampling{},
	}
	s.setup, s.start, s.alone = m.setupSpread()
	if !m.fifo && !m.given {
		// Real clusters have other load in each run, and within a run.
		s.speed, s.watched, s.profiled = driftSigma, busyWatchedSigma, busyProfileSigma
		s.busy = busySigma / math.Sqrt(1+m.seenPauses*sightingWeight)
	}
	if !m.given {
		s.inputs = m.inputSigma
	}
	s.scale = m.scale()
	s.addEnding()
	sum, n := 0.0, 0.0
	for j := range m.phases {
		if m.Snapshot.Jobs[j].State.Ended() {
			continue
		}
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			if m.over(j, k) {
				continue
			}
			p := s.phaseSampling(j, k)
			if p.unseen && !(s.scale > 0) {
				return nil
			}
			s.phases[j][k] = p
			s.phases[j][k].anywhere = m.workAnywhere(j, k)
			s.addRunning(j, k)
			c := float64(m.Snapshot.Plan.Jobs[j].Stages[k].Count())
			sum, n = sum+c*m.Full(j, k, 0), n+c
		}
	}
	s.failures = estimators.NewFailureLaw(m.Snapshot, sum/max(n, 1))
	return s.sample
}

// scale is the work of a mean map; where none has shown any, for its counters tell nothing, how long the tasks that
// have ended took. 0 where nothing has ended either.
func (m *Model) scale() float64 {
	if m.mapWork > 0 {
		return m.mapWork
	}
	sum, n := 0.0, 0.0
	for j := range m.phases {
		for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
			for i := range m.Snapshot.Jobs[j].Stages[k].Attempts {
				if a := &m.Snapshot.Jobs[j].Stages[k].Attempts[i]; a.State == dag.AttemptSucceeded && a.End > a.Start &&
					a.Start.Known() {
					sum, n = sum+float64(a.End-a.Start), n+1
				}
			}
		}
	}
	return sum / max(n, 1)
}

// addEnding finds the job that has waited longest for its end. The longer it waits, the longer it may still.
func (s *sampling) addEnding() {
	m := s.m
	if s.end = 3 * pauseSigma; !m.endKnown {
		s.end = endSigma
	}
	for j := range m.phases {
		state := &m.Snapshot.Jobs[j]
		if end := state.LastSuccess(); !state.State.Ended() && m.over(j, dag.Map) && m.over(j, dag.Reduce) &&
			end.Known() {
			s.waited = max(s.waited, float64(m.now-end))
		}
	}
	s.ending = estimators.NewRest(taskcost.MS(m.Snapshot.Plan.Overheads.Finish), s.waited,
		estimators.NewFactors(nil, s.end), 1)
}

// over says that every task of a phase is done.
func (m *Model) over(j int, k dag.StageIndex) bool {
	done := 0
	for _, a := range m.Snapshot.Jobs[j].Stages[k].Attempts {
		if a.State == dag.AttemptSucceeded {
			done++
		}
	}
	return done >= m.Snapshot.Plan.Jobs[j].Stages[k].Count()
}

// setupSpread is how far the law of start-ups may be off as a whole, for a phase and for a task.
func (m *Model) setupSpread() (common float64, phase, own estimators.Factors) {
	if m.fifo || m.given {
		return 0, phase, own
	}
	return setupSigma * math.Sqrt(nodeWeight/float64(nodeWeight+m.setup.n)), estimators.NewFactors(nil, batchSigma),
		estimators.NewFactors(nil, startSigma)
}

func (s *sampling) phaseSampling(j int, k dag.StageIndex) phaseSampling {
	m := s.m
	ph := &m.phases[j][k]
	if ph.origin >= schedule.Assumed {
		p := phaseSampling{own: estimators.NewFactors(nil, unseenTasks), rate: alikeSigma, unseen: true}
		p.assumed, p.alike = ph.assumed, ph.assumed > laterWork*m.mapWork
		return p
	}
	if ph.groups != nil {
		return ph.groups.sampling()
	}
	residuals := m.logResiduals(ph, k, &m.Snapshot.Jobs[j].Stages[k])
	p := phaseSampling{own: estimators.NewFactors(residuals, workSigma)}
	_, weight := ph.seen.alpha()
	if p.rate = s.profiled; ph.origin == schedule.Observed {
		p.rate = s.watched * math.Sqrt(rateSamplesMS/(rateSamplesMS+weight))
	}
	p.rate = math.Sqrt(p.rate*p.rate + workSigma*workSigma/float64(len(residuals)+1))
	if len(ph.prior) == 0 && !m.given {
		p.sized = make([]bool, m.Snapshot.Plan.Jobs[j].Stages[k].Count())
		var sizes []float64
		for _, s := range ph.seen.known {
			if s.task < len(p.sized) {
				p.sized[s.task] = true
				sizes = append(sizes, math.Log(s.units/ph.mean))
			}
		}
		if k == dag.Reduce {
			p.sizes = estimators.NewFactors(sizes, unsizedSigma)
		} else {
			p.uneven = len(ph.sizes) > 0
		}
	}
	return p
}

// workAnywhere is the work of each task of a phase on a node that is not known, in milliseconds.
func (m *Model) workAnywhere(j int, k dag.StageIndex) []float64 {
	work := make([]float64, m.Snapshot.Plan.Jobs[j].Stages[k].Count())
	for i := range work {
		work[i], _ = m.phases[j][k].work(i, -1)
	}
	return work
}

// logResiduals are the logarithms of what finished tasks took, for their size, against the phase's rate.
func (m *Model) logResiduals(ph *phase, k dag.StageIndex, state *dag.StageState) []float64 {
	var out []float64
	for i := range state.Attempts {
		a := &state.Attempts[i]
		if a.State != dag.AttemptSucceeded || !a.End.Known() || !a.Start.Known() {
			continue
		}
		predicted := ph.seen.reduces.effort(m.unit(k, a)) * ph.alpha * ph.factor(a.Node)
		took := float64(a.End-a.Start) - m.setup.of(a)
		if k == dag.Reduce && !m.fifo {
			if !a.CopyEnd.Known() {
				continue
			}
			took = float64(a.End - a.CopyEnd)
		}
		if took >= minResidualMS && predicted >= minResidualMS {
			out = append(out, math.Log(took/predicted))
		}
	}
	return out
}

// minResidualMS is how long a task must work for its residual to count: that of less is the noise of start-up and
// reports.
const minResidualMS = 2000

func (s *sampling) addRunning(j int, k dag.StageIndex) {
	m, p := s.m, &s.phases[j][k]
	attempts := m.Snapshot.Jobs[j].Stages[k].Attempts
	for i := range attempts {
		a := &attempts[i]
		if a.State != dag.AttemptRunning {
			continue
		}
		c, own := m.course(&m.phases[j][k], k, a), p.of(int(a.Task))
		// An attempt that says nothing of what is left is as unknown as a phase that nobody has seen, whatever others
		// of its phase took.
		unseen := c.own == 0 && (p.unseen || c.origin >= schedule.Unknown)
		r := runningSampling{
			starts: c.starts, waits: c.waits, unseen: unseen,
			power: taskcost.OwnPriorMS / (taskcost.OwnPriorMS + c.own),
		}
		if c.starts && !c.waits {
			r.setup = estimators.NewRest(c.setup, c.setupAge, s.start, 1)
		}
		switch {
		case r.unseen && !c.starts:
			r.work = estimators.NewRest(c.work, c.workAge, s.wide, 1)
		case c.waits:
			r.left = taskcost.Duration(c.setupLeft())
			r.work = estimators.NewRest(c.work, 0, own, 1)
		case c.starts:
			r.work = estimators.NewRest(c.work, 0, own, 1)
		default:
			r.work = estimators.NewRest(c.work, c.workAge, own, math.Sqrt(r.power))
		}
		s.running[a] = r
	}
}
