package simulate

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// An Other is another user's application in a simulated run, a MapReduce job (YARN). The scheduler serves it in the
// same way as our jobs. The factor of Options.Noise applies to each of its tasks.
type Other struct {
	Name, User         string
	Queue              string        // "": our queue
	At                 time.Duration // after the run's start
	Maps, Reduces      int
	MapTime            time.Duration // work of a map
	ReduceTime         time.Duration // work of a reduce, from the last map's end
	AMMB, MapMB, RedMB int
	// Hidden means that the watcher gets no report of its master.
	Hidden bool
}

// Bounds of an Other.
const (
	maxOthers     = 1000
	maxOtherTasks = 1 << 20
)

func (o *Options) checkOthers(p *dag.Plan) error {
	if len(o.Others) == 0 {
		return nil
	}
	if p.Cluster.Policy != dag.YARN {
		return &OptionError{"others", "only a YARN cluster is shared"}
	}
	if len(o.Others) > maxOthers {
		return &OptionError{"others", fmt.Sprintf("%d are more than %d", len(o.Others), maxOthers)}
	}
	for i := range o.Others {
		a := &o.Others[i]
		switch {
		case a.At < 0 || a.MapTime < 0 || a.ReduceTime < 0 || a.At > maxPause || a.MapTime > maxPause ||
			a.ReduceTime > maxPause:
			return &OptionError{"others", fmt.Sprintf("%s: a time is not from 0 to %v", a.Name, maxPause)}
		case a.Maps < 0 || a.Reduces < 0 || a.Maps > maxOtherTasks || a.Reduces > maxOtherTasks:
			return &OptionError{"others", fmt.Sprintf("%s: %d maps and %d reduces are not from 0 to %d", a.Name, a.Maps,
				a.Reduces, maxOtherTasks)}
		case a.AMMB <= 0 || a.MapMB <= 0 || a.RedMB <= 0 || max(a.AMMB, a.MapMB, a.RedMB) > p.Cluster.MemoryMB:
			return &OptionError{
				"others",
				fmt.Sprintf("%s: its containers of %d, %d and %d MB are not from 1 to the cluster's %d MB", a.Name,
					a.AMMB, a.MapMB, a.RedMB, p.Cluster.MemoryMB),
			}
		}
	}
	return nil
}

// withOthers returns the plan with the others' jobs after ours.
func withOthers(p *dag.Plan, others []Other) *dag.Plan {
	if len(others) == 0 {
		return p
	}
	out := *p
	out.Jobs = slices.Clip(p.Jobs)
	for i := range others {
		o := &others[i]
		work := func(d time.Duration) dag.Pipeline {
			return dag.Pipeline{Tuples: dag.Uniform(float64(d / time.Millisecond)), Alpha: dag.Uniform(1)}
		}
		job := dag.Job{
			Node: fmt.Sprintf("other %d", i+1), Name: o.Name,
			Stages: dag.MapReduce(dag.Stage{Tasks: o.Maps, Known: true, Pipelines: []dag.Pipeline{work(o.MapTime)}},
				dag.Stage{Tasks: o.Reduces, Known: true, Pipelines: []dag.Pipeline{
					work(0), work(0),
					work(o.ReduceTime),
				}}),
			MasterMB: o.AMMB, MapReduce: dag.MapReduceLimits{MapMB: o.MapMB, ReduceMB: o.RedMB, SlowStart: 0.05},
		}
		out.Jobs = append(out.Jobs, job)
	}
	return &out
}

// owners returns the owners of the others' jobs.
func (t *truth) owners() []schedule.Owner {
	if len(t.opt.Others) == 0 {
		return nil
	}
	out := make([]schedule.Owner, len(t.plan.Jobs))
	for j := range out {
		if j < t.ours {
			out[j].At = dag.NoInstant
			continue
		}
		o := &t.opt.Others[j-t.ours]
		out[j] = schedule.Owner{User: o.User, Queue: t.queueOf(o), At: t.opt.Start.Add(o.At)}
	}
	return out
}

func (t *truth) queueOf(o *Other) string {
	if o.Queue == "" {
		return t.opt.Queue
	}
	return o.Queue
}

// loads returns the others as the cluster shows them at c.t.
func (c *camera) loads(s *dag.Snapshot) []dag.Load {
	var out []dag.Load
	held := 0
	for j := c.ours; j < len(c.jobs); j++ {
		state := c.jobState(j, c.t)
		if !state.Submitted.Known() || state.State.Ended() && state.HeldMB == 0 {
			continue
		}
		o, l := &c.opt.Others[j-c.ours], c.load(j, &state)
		l.Before = !slices.ContainsFunc(s.Jobs, func(our dag.JobState) bool {
			return our.Submitted.Known() && !our.State.Ended() && our.Submitted < l.Submitted
		})
		if o.Hidden || state.State != dag.Running {
			l.Need = nil
		}
		held += l.HeldMB
		out = append(out, l)
	}
	if len(out) > 0 {
		s.Warnings = append(s.Warnings, dag.Warning{
			Code: dag.WarnOtherLoad,
			Text: fmt.Sprintf("%d other applications hold %d MB", len(out), held),
		})
	}
	return out
}

func (c *camera) load(j int, state *dag.JobState) dag.Load {
	o := &c.opt.Others[j-c.ours]
	need := dag.Need{At: c.t, Map: c.need(j, dag.Map), Reduce: c.need(j, dag.Reduce)}
	need.Map.TaskMB, need.Reduce.TaskMB = o.MapMB, o.RedMB
	l := dag.Load{
		ID: fmt.Sprintf("application_%d_%04d", c.opt.Start, j+1), Name: o.Name, User: o.User, Queue: c.queueOf(o),
		Submitted: state.Submitted, HeldMB: state.HeldMB, Progress: math.NaN(), Need: &need, Until: dag.NoInstant,
	}
	if state.HeldMB > 0 {
		l.MasterMB = o.AMMB
	}
	if state.State == dag.Running {
		l.Progress = 0.05 + 0.45*need.Map.Progress + 0.45*need.Reduce.Progress
		l.PendingMB = (need.Map.Tasks - need.Map.Done - need.Map.Running) * o.MapMB
		if l.PendingMB == 0 {
			l.PendingMB = (need.Reduce.Tasks - need.Reduce.Done - need.Reduce.Running) * o.RedMB
		}
	} else if state.HeldMB == 0 {
		l.PendingMB = o.AMMB
	}
	return l
}

// need counts another application's tasks of a kind, as its master would.
func (c *camera) need(j int, k dag.StageIndex) dag.NeedPhase {
	n := dag.NeedPhase{Tasks: c.plan.Jobs[j].Stages[k].Count()}
	sum, length := 0.0, 0.0
	tracks := c.jobs[j].phases[k].tracks
	for i := range tracks {
		switch r := &tracks[i]; {
		case r.start > c.t:
		case r.end <= c.t && r.how == dag.AttemptSucceeded:
			n.Done++
			sum, length = sum+1, length+float64(r.end-r.start)
		case r.end > c.t:
			n.Running++
			if work := c.extentOf(attemptKey{j, k, r.task, r.number}, r).work; work > 0 {
				sum += float64(r.position(c.t, work)) / float64(work)
			}
		}
	}
	n.Progress, n.LengthMS = 1, math.NaN()
	if n.Tasks > 0 {
		n.Progress = sum / float64(n.Tasks)
	}
	if n.Done > 0 {
		n.LengthMS = length / float64(n.Done)
	}
	return n
}
