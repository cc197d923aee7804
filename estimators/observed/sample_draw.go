package observed

import (
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// sample draws a world: first what all of it has in common, then, as the replay asks, each task.
func (s *sampling) sample(d estimators.Draws) estimators.Drawn {
	speed := estimators.LogNormal(d.Common(estimators.ForSpeed, 0, 0), s.speed)
	busy := estimators.LogNormal(d.Common(estimators.ForPause, -1, 0), s.busy)
	setup := busy * estimators.LogNormal(d.Common(estimators.ForSetup, 0, 0), s.setup)
	// All that the profile tells follows from the input, so that it has one factor.
	speed *= estimators.LogNormal(d.Common(estimators.ForSize, -1, dag.Reduce), s.inputs)
	phases := make([][2]drawnPhase, len(s.phases))
	for j := range phases {
		for k := range phases[j] {
			p, drawn, stage := &s.phases[j][k], &phases[j][k], dag.StageIndex(k) //nolint:gosec // an index
			drawn.start = setup * s.start.At(d.Common(estimators.ForStart, j, stage))
			if p.unseen {
				drawn.scale = s.drawUnseen(d, j, stage)
				continue
			}
			drawn.scale = speed * estimators.LogNormal(d.Common(estimators.ForRate, j, stage), p.rate)
			drawn.size = p.drawMapSize(d, j)
		}
	}
	var law [2]startsTogether
	left := func(t schedule.Task) schedule.Cost {
		if t.Running != nil {
			if r, ok := s.running[t.Running]; ok {
				return s.drawRunning(d, &t, &r, setup, phases[t.Job][t.Stage].scale)
			}
		}
		l := &law[t.Stage]
		if n, on := max(t.Together, 1), int32(t.Node); n != l.n || t.Cold != l.cold || on != l.node {
			*l = startsTogether{n, on, t.Cold, s.m.startCost(t.Stage, on, n, t.Cold)}
		}
		return s.drawPending(d, &t, l.cost, &phases[t.Job][t.Stage])
	}
	return estimators.Drawn{Snapshot: s.drawSnapshot(d, busy), Left: left, Fault: s.failures.Fault(d, s.m.now)}
}

// A drawnPhase is what the tasks of a phase have in common in one world.
type drawnPhase struct {
	scale float64 // of their work; where unseen, their work in milliseconds
	start float64 // of their start-ups
	size  float64 // of the maps that have not told theirs, against what is predicted
}

// startsTogether is the start-up of a task that starts with n-1 others, in milliseconds. Those that follow mostly
// start with as many.
type startsTogether struct {
	n    int
	node int32
	cold bool
	cost float64
}

// drawPending draws a task that has not started. start is what the law of start-ups gives it, in milliseconds.
func (s *sampling) drawPending(d estimators.Draws, t *schedule.Task, start float64, drawn *drawnPhase) schedule.Cost {
	p := &s.phases[t.Job][t.Stage]
	start *= drawn.start
	start *= s.alone.At(d.Task(estimators.ForStart, t.Job, t.Stage, t.Index, t.Attempt))
	work := drawn.scale * p.of(t.Index).At(d.Task(estimators.ForWork, t.Job, t.Stage, t.Index, t.Attempt))
	if !p.unseen {
		work *= p.known(&s.m.phases[t.Job][t.Stage], t)
		switch {
		case t.Index >= len(p.sized) || p.sized[t.Index]:
		case t.Stage == dag.Reduce:
			work *= p.sizes.At(d.Task(estimators.ForTaskSize, t.Job, t.Stage, t.Index, 0))
		default:
			work *= drawn.size
		}
	}
	return schedule.Cost{Setup: taskcost.Duration(start), Work: taskcost.Duration(work), Same: 1}
}

// known is the work that the model expects of a task that has not started.
func (p *phaseSampling) known(ph *phase, t *schedule.Task) float64 {
	if (t.Node < 0 || ph.nodes == nil) && t.Index < len(p.anywhere) {
		return p.anywhere[t.Index]
	}
	work, _ := ph.work(t.Index, int32(t.Node)) //nolint:gosec // an index
	return work
}

// drawMapSize is how large maps that have not told their sizes are, against what is predicted. A map is predicted to
// be as large as the one before it: splits are sorted, so that is the most, and the rest of an input of files of many
// sizes may be much less.
func (p *phaseSampling) drawMapSize(d estimators.Draws, j int) float64 {
	u := d.Common(estimators.ForSize, j, dag.Map)
	if !p.uneven {
		u = max(2*u-1, 0) // most inputs are of blocks of one size
	}
	return 1 - (1-leastRest)*u
}

// leastRest is the mean size of the splits that have not told theirs, against the last one that has, if an input's
// files are very unlike.
const leastRest = 0.25

func (s *sampling) drawRunning(d estimators.Draws, t *schedule.Task, r *runningSampling, setup,
	scale float64,
) schedule.Cost {
	cost := schedule.Cost{Same: 1}
	u := d.Task(estimators.ForWork, t.Job, t.Stage, t.Index, t.Attempt)
	switch {
	case r.waits:
		cost.Setup = time.Duration(float64(r.left/time.Millisecond)*setup) * time.Millisecond
	case r.starts:
		cost.Setup = taskcost.Duration(r.setup.At(d.Common(estimators.ForStart, t.Job, t.Stage), setup))
	}
	switch {
	case r.unseen && r.starts:
		cost.Work = taskcost.Duration(scale * s.phases[t.Job][t.Stage].own.At(u))
	case r.unseen:
		cost.Work = taskcost.Duration(r.work.At(d.Common(estimators.ForSize, t.Job, t.Stage), 1))
	case s.phases[t.Job][t.Stage].unseen:
		cost.Work = taskcost.Duration(r.work.At(u, 1))
	default:
		cost.Work = taskcost.Duration(r.work.At(u, math.Pow(scale, r.power)))
	}
	return cost
}

// drawSnapshot is the snapshot with other pauses, and with other applications that end at another time.
func (s *sampling) drawSnapshot(d estimators.Draws, busy float64) *dag.Snapshot {
	out, plan := *s.m.Snapshot, *s.m.Snapshot.Plan
	out.Plan = &plan
	if !s.m.given && !s.m.fifo {
		o := &plan.Overheads
		for i, f := range []struct {
			of    *time.Duration
			sigma float64
		}{
			{&o.Launch, pauseSigma},
			{&o.AMStart, 2 * pauseSigma},
			{&o.Wave, pauseSigma},
			{&o.Finish, s.end},
			{&o.Handoff, 4 * pauseSigma},
			{&o.AMHold, pauseSigma / 2},
			{&o.Copy, 2 * pauseSigma},
			{&o.Beat, pauseSigma / 4},
		} {
			*f.of = taskcost.Duration(taskcost.MS(*f.of) * busy * estimators.LogNormal(d.Common(estimators.ForPause, i,
				0), f.sigma))
		}
		if s.waited > 0 {
			o.Finish = taskcost.Duration(s.waited + s.ending.At(d.Common(estimators.ForPause, 3, 0), busy))
		}
	}
	if s.m.stalled > 0 {
		out.NextContainer = s.m.now.Add(taskcost.Duration(s.m.stalled * (1/d.Common(estimators.ForPause, stallDraw,
			0) - 1)))
	}
	if len(out.Load) > 0 {
		out.Load = slices.Clone(out.Load)
		shared := estimators.LogNormal(d.Common(estimators.ForOther, -1, 0), sharedSigma)
		for i := range out.Load {
			l, f := &out.Load[i], estimators.LogNormal(d.Common(estimators.ForOther, i, 0), loadSigma)
			if l.Until.Known() && l.Until > s.m.now {
				l.Until = s.m.now.Add(taskcost.Duration(taskcost.MS(l.Until.Sub(s.m.now)) * f))
			}
			l.Length = taskcost.Duration(taskcost.MS(l.Length) * f)
			if l.Need != nil {
				n := *l.Need
				wide := 1.0
				if l.HeldMB == 0 {
					wide = estimators.LogNormal(d.Common(estimators.ForOther, i, dag.Reduce), unseenSigma)
				}
				for _, p := range [...]*dag.NeedPhase{&n.Map, &n.Reduce} {
					power := needPower
					if p.Done == 0 {
						power = guessPower
					}
					p.LengthMS = min(p.LengthMS*shared*wide*math.Pow(f, power), taskcost.MostMS/2)
				}
				l.Need = &n
			}
		}
	}
	return &out
}

// What a task of a phase that nobody has seen may take, in mean maps of the run. On the recordings most such phases do
// next to nothing (a DISTINCT's reduce), and some are nearly all of the run (a GROUP's with skewed keys): lightly, it
// is about what standard assumes; else anything from heavyLeast to heavyMost, each order of magnitude as likely as
// another.
const (
	lightShare = 0.75
	lightSigma = 1
	heavyLeast = 0.05
	heavyMost  = 4
	// alikeShare is how much of the phases' variance is the run's: a script whose reduces are heavy has more than one
	// of them.
	alikeShare = 0.6
)

// drawUnseen is a task's work in milliseconds, the same for all tasks of the phase.
func (s *sampling) drawUnseen(d estimators.Draws, j int, k dag.StageIndex) float64 {
	p := &s.phases[j][k]
	own := estimators.Normal(d.Common(estimators.ForSize, j, k))
	if p.alike {
		return p.assumed * math.Exp(alikeSigma*own)
	}
	run := estimators.Normal(d.Common(estimators.ForSize, -1, 0))
	u := math.Erfc(-(math.Sqrt(alikeShare)*run+math.Sqrt(1-alikeShare)*own)/math.Sqrt2) / 2
	if u < lightShare {
		return p.assumed * estimators.LogNormal(min(max(u/lightShare, 1e-6), 1-1e-6), lightSigma)
	}
	return s.scale * heavyLeast * math.Pow(heavyMost/heavyLeast, (u-lightShare)/(1-lightShare))
}
