package tape

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/adapters/internal/engine"
	"github.com/paratimer/paratimer/dag"
)

// each converts a slice; nil stays nil.
func each[T, U any](s []T, f func(T) U) []U {
	if s == nil {
		return nil
	}
	out := make([]U, len(s))
	for i, v := range s {
		out[i] = f(v)
	}
	return out
}

func clusterOf(c *dag.Cluster) cluster {
	return cluster{
		c.Policy, c.MapSlots, c.ReduceSlots, c.SlotsPerNode, c.Setup, c.MemoryMB, c.QueueMB,
		each(c.Nodes, func(n dag.Node) planNode { return planNode{text(n.Name), n.MemoryMB, n.Cores, numOf(n.Slow)} }),
		numOf(c.FailRate), c.Order, c.Cores,
		each(c.Pools, func(p dag.Pool) planPool { return planPool{text(p.Name), p.Weight, p.MinShare, p.Fair} }),
		elastic(c.Elastic), copiesOf(c.Copies),
	}
}

func copiesOf(c dag.Copies) copies { return copies{numOf(c.Ratio), numOf(c.Times)} }

func (c *cluster) dag() dag.Cluster {
	return dag.Cluster{
		Policy: c.Policy, MapSlots: c.MapSlots, ReduceSlots: c.ReduceSlots, SlotsPerNode: c.SlotsPerNode,
		Setup: c.Setup, MemoryMB: c.MemoryMB, QueueMB: c.QueueMB,
		Nodes: each(c.Nodes, func(n planNode) dag.Node {
			return dag.Node{Name: string(n.Name), MemoryMB: n.MemoryMB, Cores: n.Cores, Slow: n.Slow.float()}
		}),
		FailRate: c.FailRate.float(), Order: c.Order, Cores: c.Cores,
		Pools: each(c.Pools, func(p planPool) dag.Pool {
			return dag.Pool{Name: string(p.Name), Weight: p.Weight, MinShare: p.MinShare, Fair: p.Fair}
		}),
		Elastic: dag.Elastic(c.Elastic),
		Copies:  dag.Copies{Ratio: c.Copies.Ratio.float(), Times: c.Copies.Times.float()},
	}
}

func overheadsOf(o *dag.Overheads) overheads {
	return overheads{
		Launch: o.Launch, AMStart: o.AMStart, Finish: o.Finish, Wave: o.Wave, Stagger: o.Stagger, Beat: o.Beat,
		Handoff: o.Handoff, Idle: o.Idle, AMHold: o.AMHold, Abandon: o.Abandon, Report: o.Report, Copy: o.Copy,
		SetupMin: o.SetupMin, SetupPer: o.SetupPer, Cold: o.Cold, Boot: o.Boot,
	}
}

func (o *overheads) dag() dag.Overheads {
	return dag.Overheads{
		Launch: o.Launch, AMStart: o.AMStart, Finish: o.Finish, Wave: o.Wave, Stagger: o.Stagger, Beat: o.Beat,
		Handoff: o.Handoff, Idle: o.Idle, AMHold: o.AMHold, Abandon: o.Abandon, Report: o.Report, Copy: o.Copy,
		SetupMin: o.SetupMin, SetupPer: o.SetupPer, Cold: o.Cold, Boot: o.Boot,
	}
}

func jobOf(j *dag.Job) planJob {
	l := &j.MapReduce
	var maps, reduces planPhase
	var stages []planStage
	if j.IsMapReduce() {
		maps, reduces = phaseOf(&j.Stages[dag.Map]), phaseOf(&j.Stages[dag.Reduce])
	} else {
		stages = make([]planStage, len(j.Stages))
		for k := range j.Stages {
			s := &j.Stages[k]
			stages[k] = planStage{
				text(s.Name),
				each(s.After, func(e dag.Edge) edge {
					return edge{
						int(e.From), e.Kind, numOf(e.Ratio),
						numOf(e.Full),
					}
				}), phaseOf(s),
			}
		}
	}
	return planJob{
		text(j.Node), text(j.Name), text(j.Feature), text(j.Alias), j.After, maps, reduces, stages,
		limits{j.MasterMB, l.MapMB, l.ReduceMB, numOf(l.SlowStart), numOf(l.RampUp), l.MaxMaps, l.MaxReduces},
		each(j.Input, func(s string) text { return text(s) }),
		j.Priority, numOf(j.InputBytes), j.Rules,
	}
}

func (j *planJob) dag(groups int) (dag.Job, error) {
	l := &j.Limits
	stages, err := j.stages(groups)
	return dag.Job{
		Node: string(j.Node), Name: string(j.Name), Feature: string(j.Feature), Alias: string(j.Alias), After: j.After,
		Stages:   stages,
		MasterMB: l.AMMB,
		MapReduce: dag.MapReduceLimits{
			MapMB: l.MapMB, ReduceMB: l.ReduceMB, SlowStart: l.SlowStart.float(), RampUp: l.RampUp.float(),
			MaxMaps: l.MaxMaps, MaxReduces: l.MaxReduces,
		},
		Input:    each(j.Input, func(s text) string { return string(s) }),
		Priority: j.Priority, InputBytes: j.InputBytes.float(), Rules: j.Rules,
	}, err
}

func (j *planJob) stages(groups int) ([]dag.Stage, error) {
	if j.Stages == nil {
		maps, err := j.Map.dag(groups)
		reduces, err2 := j.Reduce.dag(groups)
		return dag.MapReduce(maps, reduces), errors.Join(err, err2)
	}
	if len(j.Stages) > maxStages {
		return nil, fmt.Errorf("%d stages, more than the %d of a job", len(j.Stages), maxStages)
	}
	out := make([]dag.Stage, len(j.Stages))
	for k := range j.Stages {
		s := &j.Stages[k]
		stage, err := s.dag(groups)
		if err != nil {
			return nil, err
		}
		stage.Name = string(s.Name)
		stage.After = each(s.After, func(e edge) dag.Edge {
			return dag.Edge{
				From: dag.StageIndex(max(-1, min(e.From, maxStages))), Kind: e.Kind, Ratio: e.Ratio.float(),
				Full: e.Full.float(),
			} //nolint:gosec // bounded
		})
		out[k] = stage
	}
	return out, nil
}

func phaseOf(p *dag.Stage) planPhase {
	return planPhase{
		p.Tasks, p.Known, each(p.Pipelines, func(l dag.Pipeline) pipeline {
			return pipeline{series{l.Tuples}, series{l.Alpha}}
		}),
		series{p.Setup},
		series{p.Out},
		series{p.Bytes},
		series{p.Extent},
		encodeGroups(nil, p.Groups, dag.NoInstant),
		p.MemoryMB, p.Cores, p.MaxRunning, text(p.Pool), p.Foreseen, p.Pause,
	}
}

func (p *planPhase) dag(groups int) (dag.Stage, error) {
	var g *dag.Groups
	var err error
	if p.Groups != nil {
		g, err = p.Groups.apply(nil, dag.NoInstant, groups)
	}
	return dag.Stage{
		Tasks: p.Tasks, Known: p.Known,
		Pipelines: each(p.Pipelines, func(l pipeline) dag.Pipeline {
			return dag.Pipeline{
				Tuples: l.Tuples.Series,
				Alpha:  l.Alpha.Series,
			}
		}),
		Setup: p.Setup.Series, Out: p.Out.Series, Bytes: p.Bytes.Series, Extent: p.Extent.Series,
		Groups: g, MemoryMB: p.MemoryMB, Cores: p.Cores, MaxRunning: p.MaxRunning, Pool: string(p.Pool),
		Foreseen: p.Foreseen, Pause: p.Pause,
	}, err
}

// decodePlan returns old with the changes of l, and does not modify old. groups bounds the key group pieces of a phase.
func decodePlan(old *dag.Plan, l *planLine, groups int) (*dag.Plan, error) {
	p := &dag.Plan{}
	if old != nil {
		*p = *old
	}
	if l.Head != nil {
		p.Name, p.Cluster, p.Overheads, p.Driver = string(l.Head.Name), l.Head.Cluster.dag(), l.Head.Overheads.dag(),
			l.Head.Driver
		p.Engine, p.Open = string(l.Head.Engine), l.Head.Open
		p.Whole = engine.Whole(p.Engine)
	}
	if l.Count.set {
		jobs, err := resize(p.Jobs, l.Count.v, maxJobs, "jobs",
			dag.Job{Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})})
		if err != nil {
			return nil, err
		}
		p.Jobs = jobs
	} else {
		p.Jobs = slices.Clone(p.Jobs)
	}
	for _, j := range l.Jobs {
		if j.Index < 0 || j.Index >= len(p.Jobs) {
			return nil, fmt.Errorf("the plan has no job %d, only %d jobs", j.Index, len(p.Jobs))
		}
		var job planJob
		if err := json.Unmarshal(j.Job, &job); err != nil {
			return nil, fmt.Errorf("job %d of the plan: %w", j.Index, err)
		}
		var err error
		if p.Jobs[j.Index], err = job.dag(groups); err != nil {
			return nil, fmt.Errorf("job %d of the plan: key groups: %w", j.Index, err)
		}
	}
	return p, nil
}

// resize returns a copy of s with n elements, filled up with fresh; -1 is nil. what names the elements in errors.
func resize[T any](s []T, n, most int, what string, fresh T) ([]T, error) {
	if n == -1 {
		return nil, nil
	}
	if n < 0 || n > most {
		return nil, fmt.Errorf("%d %s: not a number from 0 to %d", n, what, most)
	}
	out := make([]T, 0, n)
	out = append(out, s[:min(n, len(s))]...)
	for len(out) < n {
		out = append(out, fresh)
	}
	return out, nil
}
