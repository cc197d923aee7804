package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// An other is another user's application in a simulated run, a MapReduce job on YARN. The scheduler serves it in the
// same way as our jobs, and the same noise applies to its tasks.
type other struct {
	name, user         string
	queue              string        // "": our queue
	at                 time.Duration // after the run's start
	maps, reduces      int
	mapTime            time.Duration // work of a map
	reduceTime         time.Duration // work of a reduce, from the last map's end
	amMB, mapMB, redMB int
	hidden             bool // the watcher gets no report of its master
}

// perMilli is how many tuples are a millisecond of work. They show the progress of a task.
const perMilli = 1 << 20

// tuples returns the tuples of a task with this work.
func tuples(work time.Duration) float64 { return float64(work.Milliseconds()) * perMilli }

// stages returns the stages of the application.
func (o *other) stages() []dag.Stage {
	work := func(d time.Duration) dag.Pipeline {
		return dag.Pipeline{Tuples: dag.Uniform(tuples(d)), Alpha: dag.Uniform(1.0 / perMilli)}
	}
	return dag.MapReduce(dag.Stage{Tasks: o.maps, Known: true, Pipelines: []dag.Pipeline{work(o.mapTime)}},
		dag.Stage{Tasks: o.reduces, Known: true, Pipelines: []dag.Pipeline{work(0), work(0), work(o.reduceTime)}})
}

// A beside is a source of a simulated run beside other users' applications.
type beside struct {
	source *simulate.Source
	plan   *dag.Plan // ours
	opt    simulate.Options
	others []other
	// The newest plan with the others' jobs, and the same one without them.
	whole, shown *dag.Plan
}

// simulateBeside prepares a run of a plan beside others.
func simulateBeside(plan *dag.Plan, others []other, opt simulate.Options) (*beside, error) {
	whole := *plan
	whole.Jobs = slices.Clip(plan.Jobs)
	if len(others) > 0 {
		opt.Owners = slices.Repeat([]schedule.Owner{{At: dag.NoInstant}}, len(plan.Jobs))
	}
	for i := range others {
		o := &others[i]
		whole.Jobs = append(whole.Jobs, dag.Job{
			Node: fmt.Sprintf("other %d", i+1), Name: o.name, Stages: o.stages(), MasterMB: o.amMB,
			MapReduce: dag.MapReduceLimits{MapMB: o.mapMB, ReduceMB: o.redMB, SlowStart: 0.05},
		})
		opt.Owners = append(opt.Owners, schedule.Owner{
			User: o.user, Queue: cmp.Or(o.queue, opt.Queue), At: opt.Start.Add(o.at),
		})
	}
	source, err := simulate.New(&whole, opt)
	if err != nil {
		return nil, err
	}
	return &beside{source: source, plan: plan, opt: opt, others: others}, nil
}

// Next returns the next snapshot. It has only our jobs; the others are applications, as a cluster shows them.
func (b *beside) Next(ctx context.Context) (*dag.Snapshot, error) {
	s, err := b.source.Next(ctx)
	if err != nil {
		return nil, err
	}
	ours := len(b.plan.Jobs)
	if b.whole != s.Plan {
		plan := *s.Plan
		plan.Jobs = plan.Jobs[:ours:ours]
		b.whole, b.shown = s.Plan, &plan
	}
	if s.Profiles != nil {
		s.Profiles = []*dag.Plan{b.plan}
	}
	theirs := s.Jobs[ours:]
	s.Plan, s.Jobs = b.shown, s.Jobs[:ours:ours]
	held := 0
	for i := range theirs {
		state := &theirs[i]
		if !state.Submitted.Known() || state.State.Ended() && state.HeldMB == 0 {
			continue
		}
		l := b.load(i, state, s.At)
		l.Before = !slices.ContainsFunc(s.Jobs, func(our dag.JobState) bool {
			return our.Submitted.Known() && !our.State.Ended() && our.Submitted < l.Submitted
		})
		held += l.HeldMB
		s.Load = append(s.Load, l)
	}
	if len(s.Load) > 0 {
		s.Warnings = append(s.Warnings, dag.Warning{
			Code: dag.WarnOtherLoad, Text: fmt.Sprintf("%d other applications hold %d MB", len(s.Load), held),
		})
	}
	return s, nil
}

// load returns application i at t.
func (b *beside) load(i int, state *dag.JobState, t dag.Instant) dag.Load {
	o := &b.others[i]
	l := dag.Load{
		ID: fmt.Sprintf("application_%d_%04d", b.opt.Start, len(b.plan.Jobs)+i+1), Name: o.name, User: o.user,
		Queue: cmp.Or(o.queue, b.opt.Queue), Submitted: state.Submitted, HeldMB: state.HeldMB, Progress: math.NaN(),
		Until: dag.NoInstant,
	}
	if state.HeldMB > 0 {
		l.MasterMB = o.amMB
	}
	if state.State != dag.Running {
		if state.HeldMB == 0 {
			l.PendingMB = o.amMB
		}
		return l
	}
	phases := [...]dag.NeedPhase{
		dag.Map:    needOf(state.Stages[dag.Map].Attempts, o.maps, dag.Copy, o.mapTime),
		dag.Reduce: needOf(state.Stages[dag.Reduce].Attempts, o.reduces, dag.Work, o.reduceTime),
	}
	phases[dag.Map].TaskMB, phases[dag.Reduce].TaskMB = o.mapMB, o.redMB
	l.Progress = 0.05
	for _, n := range phases {
		l.Progress += 0.45 * n.Progress
		if l.PendingMB == 0 { // the master requests reduces after the last map
			l.PendingMB = (n.Tasks - n.Done - n.Running) * n.TaskMB
		}
	}
	if !o.hidden {
		l.Need = &dag.Need{At: t, Map: phases[dag.Map], Reduce: phases[dag.Reduce]}
	}
	return l
}

// needOf counts the tasks of a stage, as its master would. work is the pipeline of their work.
func needOf(attempts []dag.Attempt, tasks, work int, took time.Duration) dag.NeedPhase {
	n := dag.NeedPhase{Tasks: tasks, Progress: 1, LengthMS: math.NaN()}
	sum, length := 0.0, 0.0
	for i := range attempts {
		switch a := &attempts[i]; a.State {
		case dag.AttemptRunning:
			n.Running++
			if took > 0 {
				sum += a.Done[work] / tuples(took)
			}
		case dag.AttemptSucceeded:
			n.Done++
			sum, length = sum+1, length+float64(a.End-a.Start)
		}
	}
	if n.Tasks > 0 {
		n.Progress = sum / float64(n.Tasks)
	}
	if n.Done > 0 {
		n.LengthMS = length / float64(n.Done)
	}
	return n
}
