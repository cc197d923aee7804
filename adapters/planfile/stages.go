package planfile

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/paratimer/paratimer/dag"
)

// stages returns the stages of a job. Faults are reported to d at their paths within the job.
func stages(of []stage, d *Document, job func(...string) []string) []dag.Stage {
	index, names := make(map[string]dag.StageIndex, len(of)), make([]string, len(of))
	out := make([]dag.Stage, len(of))
	for k := range of {
		s := &of[k]
		path := func(more ...string) []string { return append(job("stages", strconv.Itoa(k)), more...) }
		if _, taken := index[s.Name]; taken {
			d.report(path("name"), fmt.Errorf("two stages of the job are called %s: give each a name of its own",
				quote(s.Name)))
		}
		out[k] = s.dag()
		for n, name := range s.After {
			from, ok := index[name]
			if !ok {
				why := fmt.Sprintf("stage %s is after %s, which is not among the stages before it", quote(s.Name),
					quote(name))
				if near := Nearest(name, names[:k]); near != "" {
					why += "; did you mean " + quote(near) + "?"
				}
				d.report(path("after", strconv.Itoa(n)), errors.New(why))
				continue
			}
			out[k].After = append(out[k].After, s.edge(from, n))
		}
		if p := &out[k]; p.Copies() && len(p.Pipelines) == 1 {
			// Copying and sorting cost nothing, as in the short form of a reduce.
			none := dag.Pipeline{Tuples: p.Pipelines[0].Tuples, Alpha: dag.Uniform(0)}
			p.Pipelines = []dag.Pipeline{none, none, p.Pipelines[0]}
		}
		if len(s.Edge) > 1 && len(s.Edge) != len(s.After) {
			d.report(path("edge"), fmt.Errorf("%d edges to %d stages: give one for each, or one for all",
				len(s.Edge), len(s.After)))
		}
		index[s.Name], names[k] = dag.StageIndex(k), s.Name //nolint:gosec // the field's maximum bounds it
	}
	return out
}

// edge returns the n-th input edge of the stage, from the stage from.
func (s *stage) edge(from dag.StageIndex, n int) dag.Edge {
	e := dag.Edge{From: from}
	if len(s.Edge) == 1 {
		n = 0
	}
	if n < len(s.Edge) {
		e.Kind = s.Edge[n]
	}
	if e.Kind == dag.SlowStart {
		e.Ratio, e.Full = defaultSlowStart, s.FullStart
		if !math.IsNaN(s.SlowStart) {
			e.Ratio = s.SlowStart
		}
	}
	return e
}

func (s *stage) dag() dag.Stage {
	p := s.measured.stage(s.Tasks)
	p.Name, p.MemoryMB, p.Cores = s.Name, s.Memory, s.Cores
	p.MaxRunning, p.Pool, p.Pause = s.MaxRunning, s.Pool, s.Pause
	if s.Tuples.Known() || s.Alpha.Known() {
		p.Pipelines = pipelines(&p, s.Pipeline)
	}
	return p
}

// stagesOf is the reverse of stages. Costs of copying and sorting can only be written for MapReduce jobs.
func stagesOf(job *dag.Job) []stage {
	out := make([]stage, len(job.Stages))
	for k := range job.Stages {
		p := &job.Stages[k]
		s := stage{
			Name: p.Name, SlowStart: math.NaN(), Tasks: tasksOf(p), Memory: p.MemoryMB, Cores: p.Cores,
			MaxRunning: p.MaxRunning, Pool: p.Pool, measured: measuredOf(p), Pause: p.Pause,
		}
		if n := len(p.Pipelines); n > 0 {
			s.Pipeline = p.Pipelines[n-1]
		}
		for _, e := range p.After {
			s.After = append(s.After, job.Stages[e.From].Name)
			s.Edge = append(s.Edge, e.Kind)
			if e.Kind == dag.SlowStart {
				s.SlowStart, s.FullStart = e.Ratio, e.Full
			}
		}
		out[k] = s
	}
	return out
}
