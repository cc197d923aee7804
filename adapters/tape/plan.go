package tape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A planLine has the changes of the plan. Durations are in nanoseconds.
type planLine struct {
	Head  *planHead      `json:"head,omitempty"`
	Count opt[int]       `json:"jobs,omitzero"` // number of jobs, -1 for a nil slice
	Jobs  []planJobIndex `json:"j,omitempty"`
}

type planHead struct {
	Name      text      `json:"name"`
	Cluster   cluster   `json:"cluster"`
	Overheads overheads `json:"overheads"`

	Driver dag.Driver `json:"driver,omitzero"`
	Engine text       `json:"engine,omitzero"`
	Open   bool       `json:"open,omitzero"`
}

type cluster struct {
	Policy       dag.Policy    `json:"policy"`
	MapSlots     int           `json:"map_slots"`
	ReduceSlots  int           `json:"reduce_slots"`
	SlotsPerNode int           `json:"slots_per_node"`
	Setup        time.Duration `json:"setup"`
	MemoryMB     int           `json:"mb"`
	QueueMB      int           `json:"queue_mb"`
	Nodes        []planNode    `json:"nodes"`
	FailRate     num           `json:"fail_rate,omitzero"`

	Order []dag.OrderKey `json:"order,omitzero"`

	Cores   int        `json:"cores,omitzero"`
	Pools   []planPool `json:"pools,omitzero"`
	Elastic elastic    `json:"elastic,omitzero"`
	Copies  copies     `json:"copies,omitzero"`
}

type planPool struct {
	Name     text `json:"name"`
	Weight   int  `json:"weight"`
	MinShare int  `json:"least,omitzero"`
	Fair     bool `json:"fair,omitzero"`
}

type elastic struct {
	Max     int           `json:"max"`
	Each    int           `json:"each"`
	Backlog time.Duration `json:"backlog"`
	Sustain time.Duration `json:"sustain"`
	Start   time.Duration `json:"start"`
}

type copies struct {
	Ratio num `json:"ratio"`
	Times num `json:"times"`
}

type planNode struct {
	Name     text `json:"name"`
	MemoryMB int  `json:"mb"`
	Cores    int  `json:"cores,omitempty"`
	Slow     num  `json:"slow"`
}

type overheads struct {
	Launch   time.Duration `json:"launch"`
	AMStart  time.Duration `json:"am_start"`
	Finish   time.Duration `json:"finish"`
	Wave     time.Duration `json:"wave"`
	Stagger  time.Duration `json:"stagger"`
	Beat     time.Duration `json:"beat"`
	Handoff  time.Duration `json:"handoff"`
	AMHold   time.Duration `json:"am_hold"`
	Report   time.Duration `json:"report"`
	Abandon  time.Duration `json:"abandon"`
	Copy     time.Duration `json:"copy"`
	SetupMin time.Duration `json:"setup_min"`
	SetupPer time.Duration `json:"setup_per"`
	Cold     time.Duration `json:"cold"`
	Idle     time.Duration `json:"idle,omitzero"`
	Boot     time.Duration `json:"boot,omitzero"`
}

type planJobIndex struct {
	Index int             `json:"i"`
	Job   json.RawMessage `json:"job"`
}

type planJob struct {
	Node    text        `json:"node"`
	Name    text        `json:"name"`
	Feature text        `json:"feature"`
	Alias   text        `json:"alias"`
	After   []int       `json:"after"`
	Map     planPhase   `json:"map"`
	Reduce  planPhase   `json:"reduce"`
	Stages  []planStage `json:"stages,omitempty"` // of a job that is not of MapReduce
	Limits  limits      `json:"limits"`
	Input   []text      `json:"input"`

	Priority int `json:"priority,omitzero"`

	InputBytes num `json:"input_bytes,omitzero"`

	Rules dag.StageRules `json:"rules,omitzero"`
}

type limits struct {
	AMMB       int `json:"am_mb"`
	MapMB      int `json:"map_mb"`
	ReduceMB   int `json:"reduce_mb"`
	SlowStart  num `json:"slow_start"`
	RampUp     num `json:"ramp_up"`
	MaxMaps    int `json:"max_maps"`
	MaxReduces int `json:"max_reduces"`
}

type planPhase struct {
	Tasks     int         `json:"tasks"`
	Known     bool        `json:"known"`
	Pipelines []pipeline  `json:"pipelines"`
	Setup     series      `json:"setup"`
	Out       series      `json:"out"`
	Bytes     series      `json:"bytes"`
	Extent    series      `json:"extent"`
	Groups    *groupsLine `json:"groups,omitempty"`

	MemoryMB   int  `json:"mb,omitzero"`
	Cores      int  `json:"cores,omitzero"`
	MaxRunning int  `json:"most,omitzero"`
	Pool       text `json:"pool,omitzero"`
	Foreseen   bool `json:"foreseen,omitzero"`

	Pause time.Duration `json:"pause,omitzero"`
}

type planStage struct {
	Name  text   `json:"name"`
	After []edge `json:"reads"`
	planPhase
}

type edge struct {
	From  int          `json:"i"`
	Kind  dag.EdgeKind `json:"kind"`
	Ratio num          `json:"ratio"`
	Full  num          `json:"full,omitzero"`
}

type pipeline struct {
	Tuples series `json:"n"`
	Alpha  series `json:"alpha"`
}

// A series is null if it is unknown, a number if it is the same for all tasks, and otherwise a list.
type series struct{ dag.Series }

func (s series) MarshalJSON() ([]byte, error) {
	v := s.Values()
	if v == nil {
		return appendNum(nil, numOf(s.At(0))), nil
	}
	b := []byte{'['}
	for i, f := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNum(b, numOf(f))
	}
	return append(b, ']'), nil
}

func (s *series) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		var v []num
		if err := json.Unmarshal(b, &v); err != nil {
			return err
		}
		each := make([]float64, len(v))
		for i, n := range v {
			each[i] = n.float()
		}
		s.Series = dag.Each(each)
		return nil
	}
	n, err := parseNum(b)
	s.Series = dag.Series{}
	if n != nan {
		s.Series = dag.Uniform(n.float())
	}
	return err
}

// A planCoder stores the reader's current plan, so that only changes are written. A job's sizes become known one by
// one.
type planCoder struct {
	plan *dag.Plan
	head []byte
	jobs [][]byte
}

func (c *planCoder) encode(p *dag.Plan, whole bool) (*planLine, error) {
	if whole {
		*c = planCoder{}
	}
	if p == c.plan {
		return nil, nil
	}
	was := c.plan
	c.plan = p
	if len(p.Jobs) > maxJobs {
		return nil, fmt.Errorf("tape: a plan of %d jobs is more than the %d that a tape holds", len(p.Jobs), maxJobs)
	}
	var l planLine
	head := planHead{text(p.Name), clusterOf(&p.Cluster), overheadsOf(&p.Overheads), p.Driver, text(p.Engine), p.Open}
	b, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(b, c.head) {
		c.head, l.Head = b, &head
	}
	if was == nil || len(was.Jobs) != len(p.Jobs) || (was.Jobs == nil) != (p.Jobs == nil) {
		l.Count = some(count(p.Jobs))
	}
	c.jobs = append(c.jobs[:min(len(c.jobs), len(p.Jobs))], make([][]byte, max(0, len(p.Jobs)-len(c.jobs)))...)
	for i := range p.Jobs {
		b, err := json.Marshal(jobOf(&p.Jobs[i]))
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(b, c.jobs[i]) {
			c.jobs[i] = b
			l.Jobs = append(l.Jobs, planJobIndex{i, b})
		}
	}
	if l.Head == nil && !l.Count.set && l.Jobs == nil {
		return nil, nil
	}
	return &l, nil
}

// count returns a slice's length, or -1 for nil.
func count[T any](s []T) int {
	if s == nil {
		return -1
	}
	return len(s)
}
