package simulate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// withOthers returns the plan with the others' jobs after ours.
func withOthers(p *dag.Plan, others []Other) *dag.Plan {
	work := func(d time.Duration) dag.Pipeline {
		return dag.Pipeline{Tuples: dag.Uniform(float64(d / time.Millisecond)), Alpha: dag.Uniform(1)}
	}
	stage := func(tasks int, pipelines ...dag.Pipeline) dag.Stage {
		return dag.Stage{Tasks: tasks, Known: true, Pipelines: pipelines}
	}
	out := *p
	out.Jobs = slices.Clip(p.Jobs)
	for i := range others {
		o := &others[i]
		out.Jobs = append(out.Jobs, dag.Job{
			Node: fmt.Sprintf("other %d", i+1), Name: o.Name,
			Stages: dag.MapReduce(stage(o.Maps, work(o.MapTime)),
				stage(o.Reduces, work(0), work(0), work(o.ReduceTime))),
			MasterMB: o.AMMB, MapReduce: dag.MapReduceLimits{MapMB: o.MapMB, ReduceMB: o.RedMB, SlowStart: 0.05},
		})
	}
	return &out
}

// owners returns the owners of all jobs.
func (w *simulation) owners() []schedule.Owner {
	out := slices.Repeat([]schedule.Owner{{At: dag.NoInstant}}, w.ours)
	for i := range w.opt.Others {
		o := &w.opt.Others[i]
		out = append(out, schedule.Owner{
			User: o.User, Queue: cmp.Or(o.Queue, w.opt.Queue), At: w.opt.Start.Add(o.At),
		})
	}
	return out
}

// showOthers returns the others as the cluster shows them in a snapshot, and adds a warning to it.
func (w *simulation) showOthers(s *dag.Snapshot) []dag.Load {
	var out []dag.Load
	held := 0
	for j := w.ours; j < len(w.jobs); j++ {
		state := w.jobState(j, s.At)
		if !state.Submitted.Known() || state.State.Ended() && state.HeldMB == 0 {
			continue
		}
		l := w.load(j, &state, s.At)
		l.Before = !slices.ContainsFunc(s.Jobs, func(our dag.JobState) bool {
			return our.Submitted.Known() && !our.State.Ended() && our.Submitted < l.Submitted
		})
		held += l.HeldMB
		out = append(out, l)
	}
	if len(out) > 0 {
		s.Warnings = append(s.Warnings, dag.Warning{
			Code: dag.WarnOtherLoad, Text: fmt.Sprintf("%d other applications hold %d MB", len(out), held),
		})
	}
	return out
}

// load returns another application at t.
func (w *simulation) load(j int, state *dag.JobState, t dag.Instant) dag.Load {
	o, stages := &w.opt.Others[j-w.ours], w.jobs[j].stages
	l := dag.Load{
		ID: fmt.Sprintf("application_%d_%04d", w.opt.Start, j+1), Name: o.Name, User: o.User,
		Queue: cmp.Or(o.Queue, w.opt.Queue), Submitted: state.Submitted, HeldMB: state.HeldMB, Progress: math.NaN(),
		Until: dag.NoInstant,
	}
	if state.HeldMB > 0 {
		l.MasterMB = o.AMMB
	}
	if state.State != dag.Running {
		if state.HeldMB == 0 {
			l.PendingMB = o.AMMB
		}
		return l
	}
	need := &dag.Need{At: t, Map: stages[dag.Map].need(t, o.MapMB), Reduce: stages[dag.Reduce].need(t, o.RedMB)}
	l.Progress = 0.05 + 0.45*need.Map.Progress + 0.45*need.Reduce.Progress
	for _, n := range []dag.NeedPhase{need.Map, need.Reduce} {
		if l.PendingMB == 0 { // the master requests reduces after the last map
			l.PendingMB = (n.Tasks - n.Done - n.Running) * n.TaskMB
		}
	}
	if !o.Hidden {
		l.Need = need
	}
	return l
}

// need counts another application's tasks of a stage at t, as its master would.
func (st *stage) need(t dag.Instant, taskMB int) dag.NeedPhase {
	n := dag.NeedPhase{Tasks: st.Count(), TaskMB: taskMB, Progress: 1, LengthMS: math.NaN()}
	sum, length := 0.0, 0.0
	for _, a := range st.attempts {
		switch {
		case a.start > t:
		case a.end > t:
			n.Running++
			if a.work > 0 {
				sum += float64(max(0, a.position(t))) / float64(a.work)
			}
		case a.state == dag.AttemptSucceeded:
			n.Done++
			sum, length = sum+1, length+float64(a.end-a.start)
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
