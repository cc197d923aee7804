package estimators

import (
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// The general way to draw from a cost model: each prediction times a factor of the cluster, one of the task's
// stage, and one of the task's own. The factors come from the residuals of finished tasks.
const (
	// speedSigma is the standard deviation of the cluster's log speed from now on.
	speedSigma = 0.03
	// rateSigma is the standard deviation of a stage's log rate from the planned one between runs of one script.
	// rateTasks is the number of finished tasks that weigh as much as that prior.
	rateSigma = 0.1
	rateTasks = 2
	// workSigma is the standard deviation of a task's log time within a stage before any task has ended.
	workSigma = 0.1
	// ownRatio is the share of its work after which a task's own pace weighs as much as its stage's.
	ownRatio = 0.1
)

type general struct {
	w        *ReplayContext
	phases   [][]generalPhase // by job and stage
	failures FailureLaw
}

type generalPhase struct {
	own   Factors
	rate  float64 // sigma of the phase's common factor
	setup float64
	runs  map[int32]Rest // running tasks, by index
}

// generalSampling returns nil if a job's number of tasks is unknown: its cost has no scale.
func (w *ReplayContext) generalSampling() func(Draws) Drawn {
	g := &general{w: w, phases: make([][]generalPhase, len(w.Now().Plan.Jobs))}
	for j := range g.phases {
		g.phases[j] = make([]generalPhase, len(w.Now().Plan.Jobs[j].Stages))
	}
	sum, n, known := 0.0, 0, true
	w.EachStage(func(job int, k dag.StageIndex, p *StageLeft) {
		known = known && (p.Known || w.Now().JobEnded(job)) && !p.unseen()
		for i := range p.stretches {
			sum += p.stretches[i].Full * float64(p.stretches[i].Count)
			n += p.stretches[i].Count
		}
		g.phases[job][k] = w.generalPhase(job, k, p)
	})
	if !known {
		return nil
	}
	g.failures = NewFailureLaw(w.Now(), sum/float64(max(n, 1)))
	return g.sample
}

// generalPhase compares a stage's finished tasks with their predictions.
func (w *ReplayContext) generalPhase(job int, k dag.StageIndex, p *StageLeft) generalPhase {
	g := generalPhase{setup: taskcost.MS(w.Now().Plan.Cluster.Setup)}
	if p.Unfinished() == 0 {
		return g
	}
	var residuals []float64
	list := w.Now().Attempts(job, k)
	for i := range list {
		a := &list[i]
		if a.State != dag.AttemptSucceeded || !a.Start.Known() || !a.End.Known() || int(a.Task) >= p.Tasks {
			continue
		}
		took, predicted := float64(a.End-a.Start)-g.setup, w.Costs.Full(job, k, int(a.Task))-g.setup
		if took > 0 && predicted > 0 {
			residuals = append(residuals, math.Log(took/predicted))
		}
	}
	n := float64(len(residuals))
	g.own = NewFactors(residuals, workSigma)
	g.rate = math.Sqrt(rateSigma*rateSigma*rateTasks/(rateTasks+n) + workSigma*workSigma/(n+1))
	g.runs = make(map[int32]Rest, p.Running)
	dag.EachTask(list, func(task int, state dag.TaskState, a *dag.Attempt) {
		if state == dag.TaskRunning && task < p.Tasks {
			g.runs[a.Task] = g.rest(w, job, k, a)
		}
	})
	return g
}

// rest returns the remaining time of a running task. A task that has shown its pace continues at it; a task that
// should have ended by its counters, or has none, is predicted from its age.
func (g *generalPhase) rest(w *ReplayContext, job int, k dag.StageIndex, a *dag.Attempt) Rest {
	full, rem := w.Costs.Full(job, k, int(a.Task)), w.Costs.Rem(job, k, int(a.Task))
	age := 0.0
	if a.Start.Known() {
		age = float64(w.Now().At - a.Start)
	}
	done, took := full-g.setup-rem, age-g.setup
	if rem > 0 && done > 0 && took > 0 {
		weight := done / (done + ownRatio*(full-g.setup))
		return NewRest(rem*math.Pow(took/done, weight), 0, g.own, 1-weight)
	}
	return NewRest(full, age, g.own, 1)
}

// sample draws one possible future.
func (g *general) sample(d Draws) Drawn {
	s := g.w.Now()
	speed := LogNormal(d.Common(ForSpeed, 0, 0), speedSigma)
	scale := make([][]float64, len(g.phases))
	for j := range scale {
		scale[j] = make([]float64, len(g.phases[j]))
		for k := range scale[j] {
			scale[j][k] = speed * LogNormal(d.Common(ForRate, j, dag.StageIndex(k)), g.phases[j][k].rate)
		}
	}
	left := func(t schedule.Task) schedule.Cost {
		p := &g.phases[t.Job][t.Stage]
		u := d.Task(ForWork, t.Job, t.Stage, t.Index, t.Attempt)
		if t.Running != nil {
			if rest, ok := p.runs[int32(t.Index)]; ok {
				return schedule.Cost{Work: taskcost.Whole(rest.At(u, scale[t.Job][t.Stage])), Same: 1}
			}
		}
		cost := g.w.Costs.Left(t)
		cost.Work = scaled(cost.Work, scale[t.Job][t.Stage]*p.own.At(u))
		cost.Same = 1
		return cost
	}
	return Drawn{Snapshot: s, Left: left, Fault: g.failures.Fault(d, s.At)}
}

// scaled returns d times f in whole milliseconds.
func scaled(d time.Duration, f float64) time.Duration { return taskcost.Whole(taskcost.MS(d) * f) }
