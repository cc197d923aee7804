package planfile

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/paratimer/paratimer/dag"
)

// stages returns the stages of job i: those of MapReduce, or its own. Faults are reported to d.
func (j *job) stages(d *decoder, root *node, i int) []dag.Stage {
	if len(j.Stages) == 0 {
		return dag.MapReduce(j.Map.phase(), j.Reduce.phase())
	}
	index, names := make(map[string]dag.StageIndex, len(j.Stages)), make([]string, len(j.Stages))
	out := make([]dag.Stage, len(j.Stages))
	for k := range j.Stages {
		s := &j.Stages[k]
		path := func(more ...string) []string {
			return append([]string{"jobs", strconv.Itoa(i), "stages", strconv.Itoa(k)}, more...)
		}
		if _, taken := index[s.Name]; taken {
			d.report(root, path("name"), fmt.Errorf("two stages of the job are called %s: give each a name of its own",
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
				d.report(root, path("after", strconv.Itoa(n)), errors.New(why))
				continue
			}
			out[k].After = append(out[k].After, s.edge(from, n))
		}
		if p := &out[k]; p.Copies() && len(p.Pipelines) == 1 {
			// Copying and sorting cost nothing, as in the short form of a reduce.
			free := dag.Pipeline{Tuples: p.Pipelines[0].Tuples, Alpha: dag.Uniform(0)}
			p.Pipelines = []dag.Pipeline{free, free, p.Pipelines[0]}
		}
		if len(s.Edge) > 1 && len(s.Edge) != len(s.After) {
			d.report(root, path("edge"), fmt.Errorf("%d edges to %d stages: give one for each, or one for all",
				len(s.Edge), len(s.After)))
		}
		index[s.Name], names[k] = dag.StageIndex(k), s.Name //nolint:gosec // the schema bounds it
	}
	return out
}

// edge returns the n-th input edge of the stage, from the stage from. The schema has checked the words.
func (s *stage) edge(from dag.StageIndex, n int) dag.Edge {
	e := dag.Edge{From: from}
	if len(s.Edge) == 1 {
		n = 0
	}
	if n < len(s.Edge) {
		_ = e.Kind.UnmarshalText([]byte(s.Edge[n]))
	}
	if e.Kind == dag.SlowStart {
		e.Ratio = defaultSlowStart
		if s.SlowStart != nil {
			e.Ratio = *s.SlowStart
		}
		e.Full = s.FullStart
	}
	return e
}

func (s *stage) dag() dag.Stage {
	p := phaseOf(s.Tasks, s.Setup, s.Out, s.Bytes, s.Extent)
	p.Name, p.MemoryMB, p.Cores, p.MaxRunning, p.Pool = s.Name, int(s.Memory), s.Cores, s.MaxRunning, s.Pool
	p.Pause = s.Pause
	if s.Records.Known() || s.Cost.Known() {
		p.Pipelines = []dag.Pipeline{{Tuples: compact(s.Records.Series, &p), Alpha: compact(s.Cost.Series, &p)}}
	}
	return p
}

// stagesOf is the reverse of stages. Costs of copying and sorting can only be written for MapReduce jobs.
func stagesOf(job *dag.Job) []stage {
	out := make([]stage, len(job.Stages))
	for k := range job.Stages {
		p := &job.Stages[k]
		s := stage{
			Name: p.Name, Tasks: &tasks{p.Tasks, p.Known}, Memory: memory(p.MemoryMB), Cores: p.Cores,
			MaxRunning: p.MaxRunning, Pool: p.Pool, Pause: p.Pause,
			Setup: times{p.Setup}, Out: numbers{p.Out}, Bytes: numbers{p.Bytes}, Extent: times{p.Extent},
		}
		if n := len(p.Pipelines); n > 0 {
			s.Records, s.Cost = numbers{p.Pipelines[n-1].Tuples}, times{p.Pipelines[n-1].Alpha}
		}
		for _, e := range p.After {
			s.After = append(s.After, job.Stages[e.From].Name)
			s.Edge = append(s.Edge, e.Kind.String())
			if e.Kind == dag.SlowStart {
				s.SlowStart, s.FullStart = &e.Ratio, e.Full
			}
		}
		out[k] = s
	}
	return out
}
