package tape

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/adapters/internal/engine"
	"github.com/paratimer/paratimer/dag"
)

// plan reads the changes of the plan.
func (l *line) plan() {
	p := &dag.Plan{}
	if l.s.Plan != nil {
		*p = *l.s.Plan
	}
	p.Jobs = slices.Clone(p.Jobs)
	l.s.Plan = p
	l.fields(fields{
		"head": func() {
			*p = dag.Plan{Jobs: p.Jobs}
			l.fields(fields{
				"name": &p.Name, "cluster": func() { l.cluster(&p.Cluster) },
				"overheads": func() { l.fields(overheads(&p.Overheads)) },
				"driver":    &p.Driver, "engine": &p.Engine, "open": &p.Open,
			})
			p.Whole = engine.Whole(p.Engine)
		},
		"jobs": func() {
			resize(l, &p.Jobs, maxJobs, "jobs", func() dag.Job {
				return dag.Job{Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}
			})
		},
		"j": func() {
			l.each(func() {
				i := -1
				l.fields(fields{"i": &i, "job": func() {
					if i < 0 || i >= len(p.Jobs) {
						l.Fail(fmt.Errorf("the plan has no job %d, only %d jobs", i, len(p.Jobs)))
						return
					}
					p.Jobs[i] = l.planJob()
				}})
			})
		},
	})
}

func (l *line) cluster(c *dag.Cluster) {
	l.fields(fields{
		"policy": &c.Policy, "map_slots": &c.MapSlots, "reduce_slots": &c.ReduceSlots,
		"slots_per_node": &c.SlotsPerNode, "setup": &c.Setup, "mb": &c.MemoryMB, "queue_mb": &c.QueueMB,
		"fail_rate": &c.FailRate, "order": &c.Order, "cores": &c.Cores,
		"nodes": func() {
			list(l, &c.Nodes, func(n *dag.Node) fields {
				return fields{"name": &n.Name, "mb": &n.MemoryMB, "cores": &n.Cores, "slow": &n.Slow}
			})
		},
		"pools": func() {
			list(l, &c.Pools, func(p *dag.Pool) fields {
				return fields{"name": &p.Name, "weight": &p.Weight, "least": &p.MinShare, "fair": &p.Fair}
			})
		},
		"elastic": func() {
			e := &c.Elastic
			l.fields(fields{
				"max": &e.Max, "each": &e.Each, "backlog": &e.Backlog, "sustain": &e.Sustain, "start": &e.Start,
			})
		},
		"copies": func() { l.fields(fields{"ratio": &c.Copies.Ratio, "times": &c.Copies.Times}) },
	})
}

func overheads(o *dag.Overheads) fields {
	return fields{
		"launch": &o.Launch, "am_start": &o.AMStart, "finish": &o.Finish, "wave": &o.Wave, "stagger": &o.Stagger,
		"beat": &o.Beat, "handoff": &o.Handoff, "am_hold": &o.AMHold, "report": &o.Report, "abandon": &o.Abandon,
		"copy": &o.Copy, "setup_min": &o.SetupMin, "setup_per": &o.SetupPer, "cold": &o.Cold, "idle": &o.Idle,
		"boot": &o.Boot,
	}
}

func (l *line) planJob() dag.Job {
	var j dag.Job
	var maps, reduces dag.Stage
	m := &j.MapReduce
	l.fields(fields{
		"node": &j.Node, "name": &j.Name, "feature": &j.Feature, "alias": &j.Alias, "after": &j.After,
		"map": func() { l.fields(l.planStage(&maps)) }, "reduce": func() { l.fields(l.planStage(&reduces)) },
		"stages": func() { list(l, &j.Stages, l.planStage) },
		"limits": func() {
			l.fields(fields{
				"am_mb": &j.MasterMB, "map_mb": &m.MapMB, "reduce_mb": &m.ReduceMB, "slow_start": &m.SlowStart,
				"ramp_up": &m.RampUp, "max_maps": &m.MaxMaps, "max_reduces": &m.MaxReduces,
			})
		},
		"input": func() { l.texts(&j.Input) }, "priority": &j.Priority, "input_bytes": &j.InputBytes, "rules": &j.Rules,
	})
	if j.Stages == nil {
		j.Stages = dag.MapReduce(maps, reduces)
	}
	if n := len(j.Stages); n > maxStages {
		l.Fail(fmt.Errorf("%d stages, more than the %d of a job", n, maxStages))
	}
	return j
}

// texts reads a list of texts, or null.
func (l *line) texts(to *[]string) {
	token := l.Token()
	if *to = nil; token == nil {
		return
	}
	all := []string{}
	l.List(token, func() { all = append(all, l.text()) })
	*to = all
}

func (l *line) planStage(s *dag.Stage) fields {
	return fields{
		"name": &s.Name, "tasks": &s.Tasks, "known": &s.Known, "setup": &s.Setup, "out": &s.Out, "bytes": &s.Bytes,
		"extent": &s.Extent, "mb": &s.MemoryMB, "cores": &s.Cores, "most": &s.MaxRunning, "pool": &s.Pool,
		"foreseen": &s.Foreseen, "pause": &s.Pause,
		"groups": func() { l.groups(&s.Groups, dag.NoInstant) },
		"pipelines": func() {
			list(l, &s.Pipelines, func(p *dag.Pipeline) fields { return fields{"n": &p.Tuples, "alpha": &p.Alpha} })
		},
		"reads": func() {
			list(l, &s.After, func(e *dag.Edge) fields {
				return fields{"i": &e.From, "kind": &e.Kind, "ratio": &e.Ratio, "full": &e.Full}
			})
		},
	}
}
