package golden

import (
	"fmt"
	"math"
	"time"

	"github.com/paratimer/paratimer/dag"
)

type rawCase struct {
	Name    string `json:"name"`
	Seed    int64  `json:"seed"`
	Cluster struct {
		MapSlots     int   `json:"map_slots"`
		ReduceSlots  int   `json:"reduce_slots"`
		SetupMS      int64 `json:"setup_ms"`
		SlotsPerNode int   `json:"slots_per_node"`
	} `json:"cluster"`
	Params struct {
		Delta1MS int64              `json:"delta1_ms"`
		Delta2MS int64              `json:"delta2_ms"`
		Slowdown map[string]float64 `json:"slowdown_by_pipe"`
	} `json:"params"`
	Plan        []rawJob  `json:"plan"`
	Initial     Forecast  `json:"initial"`
	ActualTotal *float64  `json:"actual_total_ms"`
	Instants    []rawTick `json:"instants"`
}

type rawJob struct {
	ID   string   `json:"id"`
	Deps []string `json:"deps"`
	Maps *struct {
		Count  int                `json:"count"`
		Tuples []float64          `json:"tuples_per_task"`
		Alpha  map[string]float64 `json:"alpha_ms_per_tuple"`
	} `json:"maps"`
	Reduces *struct {
		Count  int                  `json:"count"`
		Tuples map[string][]float64 `json:"tuples_per_task"`
		Alpha  map[string]float64   `json:"alpha_ms_per_tuple"`
	} `json:"reduces"`
}

type rawTick struct {
	Instant
	State  rawState       `json:"state"`
	Expect map[string]any `json:"expect"`
}

// PipeNames are the names of pipelines in the files: map, then the three of a reduce.
var PipeNames = [...]string{"map", "copy", "sort", "reduce"}

func (r *rawCase) decode() (*Case, error) {
	c := &Case{
		Name:          r.Name,
		Delta1:        time.Duration(r.Params.Delta1MS) * time.Millisecond,
		Delta2:        time.Duration(r.Params.Delta2MS) * time.Millisecond,
		Slowdown:      [4]float64{1, 1, 1, 1},
		Initial:       r.Initial,
		ActualTotalMS: r.ActualTotal,
	}
	for i, name := range PipeNames {
		if s, ok := r.Params.Slowdown[name]; ok {
			c.Slowdown[i] = s
		}
	}
	plan, err := r.plan()
	if err != nil {
		return nil, err
	}
	c.Plan = plan
	for i := range r.Instants {
		in, err := r.Instants[i].decode(plan)
		if err != nil {
			return nil, fmt.Errorf("instant %d: %w", i, err)
		}
		c.Instants = append(c.Instants, in)
	}
	return c, nil
}

func (r *rawCase) plan() (*dag.Plan, error) {
	p := &dag.Plan{Name: r.Name, Cluster: dag.Cluster{
		MapSlots:     r.Cluster.MapSlots,
		ReduceSlots:  r.Cluster.ReduceSlots,
		SlotsPerNode: r.Cluster.SlotsPerNode,
		Setup:        time.Duration(r.Cluster.SetupMS) * time.Millisecond,
	}}
	index := make(map[string]int)
	for i := range r.Plan {
		index[r.Plan[i].ID] = i
	}
	for _, rj := range r.Plan {
		j := dag.Job{Node: rj.ID, Name: rj.ID, Stages: dag.MapReduce(dag.Stage{Known: true}, dag.Stage{Known: true})}
		for _, d := range rj.Deps {
			i, ok := index[d]
			if !ok {
				return nil, fmt.Errorf("job %s is after %s, which is not in the plan", rj.ID, d)
			}
			j.After = append(j.After, i)
		}
		if rj.Maps != nil {
			j.Stages[dag.Map].Tasks = rj.Maps.Count
			j.Stages[dag.Map].Pipelines = []dag.Pipeline{{
				Tuples: series(rj.Maps.Tuples),
				Alpha:  dag.Uniform(rj.Maps.Alpha["map"]),
			}}
		}
		if rj.Reduces != nil {
			j.Stages[dag.Reduce].Tasks = rj.Reduces.Count
			for _, name := range PipeNames[1:] {
				j.Stages[dag.Reduce].Pipelines = append(j.Stages[dag.Reduce].Pipelines, dag.Pipeline{
					Tuples: series(rj.Reduces.Tuples[name]), Alpha: dag.Uniform(rj.Reduces.Alpha[name]),
				})
			}
		}
		p.Jobs = append(p.Jobs, j)
	}
	return p, nil
}

// series stores equal values as a uniform series, so that the cases test uniform phases too.
func series(v []float64) dag.Series {
	if len(v) == 0 {
		return dag.Uniform(0)
	}
	for _, x := range v {
		if x != v[0] {
			return dag.Each(v)
		}
	}
	return dag.Uniform(v[0])
}

func (r *rawTick) decode(plan *dag.Plan) (Instant, error) {
	in := r.Instant
	in.Expect = make(map[string]float64)
	for key, v := range r.Expect {
		switch v := v.(type) {
		case bool: // failure_hold is the only one
			in.Hold = &v
		case float64:
			in.Expect[key] = v
		case nil:
			in.Expect[key] = math.NaN()
		case map[string]any: // task_remaining_ms is the only one
			in.TaskRemainingMS = make(map[string]float64)
			for task, left := range v {
				in.TaskRemainingMS[task] = left.(float64)
			}
		default:
			return in, fmt.Errorf("expect.%s is %v", key, v)
		}
	}
	s, err := r.State.decode(plan)
	in.Snapshot = s
	return in, err
}
