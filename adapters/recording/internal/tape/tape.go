// Package tape reads the lines of tapes, the recordings of observations that older programs wrote.
// Programs of the next version will not read them.
package tape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/paratimer/paratimer/adapters/internal/engine"
	"github.com/paratimer/paratimer/adapters/recording/internal/delta"
	"github.com/paratimer/paratimer/dag"
)

// Version is the last version of tapes. Version 1 only has MapReduce jobs.
const Version = 2

const maxJobs = 1 << 16 // of a plan or snapshot

// names are those of fields in tapes.
var names = delta.Names{Of: map[reflect.Type]string{
	reflect.TypeFor[dag.Snapshot](): "At t ID id User user Queue queue State state Inferred inferred Stale stale Warnings warnings " +
		"Nodes nodes Queues queues Load load Coming coming",
	reflect.TypeFor[dag.NodeState](): "Name name MemoryMB mb Cores cores Lost lost LostAt lost_at Cause cause " +
		"Draining draining Label label",
	reflect.TypeFor[dag.QueueState](): "Name name ShareMB share MaxMB max UserMB user MastersMB masters " +
		"UserRatio user_ratio Order order Preempted preempted",
	reflect.TypeFor[dag.Load](): "ID id Name name User user Before before Submitted sub Queue queue HeldMB mb PendingMB ask " +
		"MasterMB am ShareMB share Until until Length length Progress ratio Need need",
	reflect.TypeFor[dag.Need]():      "At t Map m Reduce r",
	reflect.TypeFor[dag.NeedPhase](): "Tasks n Done done Running run Progress ratio LengthMS ms TaskMB mb",
	reflect.TypeFor[dag.Capacity]():  "At t Cores cores",
	reflect.TypeFor[dag.Plan]():      "Name name Cluster cluster Overheads overheads Driver driver Engine engine Open open",
	reflect.TypeFor[dag.Cluster](): "Policy policy MapSlots map_slots ReduceSlots reduce_slots SlotsPerNode slots_per_node " +
		"Setup setup MemoryMB mb QueueMB queue_mb FailRate fail_rate Order order Cores cores Nodes nodes Pools pools " +
		"Elastic elastic Copies copies",
	reflect.TypeFor[dag.Node]():    "Name name MemoryMB mb Cores cores Slow slow",
	reflect.TypeFor[dag.Pool]():    "Name name Weight weight MinShare least Fair fair",
	reflect.TypeFor[dag.Elastic](): "Max max Each each Backlog backlog Sustain sustain Start start",
	reflect.TypeFor[dag.Copies]():  "Ratio ratio Times times",
	reflect.TypeFor[dag.Overheads](): "Launch launch AMStart am_start Finish finish Wave wave Stagger stagger Beat beat " +
		"Handoff handoff AMHold am_hold Report report Abandon abandon Copy copy SetupMin setup_min SetupPer setup_per " +
		"Cold cold Idle idle Boot boot",
	reflect.TypeFor[dag.Job](): "Node node Name name Feature feature Alias alias After after Stages stages " +
		"MapReduce limits Input input Priority priority InputBytes input_bytes Rules rules",
	reflect.TypeFor[dag.MapReduceLimits](): "MapMB map_mb ReduceMB reduce_mb SlowStart slow_start RampUp ramp_up " +
		"MaxMaps max_maps MaxReduces max_reduces",
	reflect.TypeFor[dag.Stage](): "Name name Tasks tasks Known known Setup setup Out out Bytes bytes Extent extent " +
		"MemoryMB mb Cores cores MaxRunning most Pool pool Foreseen foreseen Pause pause Pipelines pipelines After reads",
	reflect.TypeFor[dag.Pipeline](): "Tuples n Alpha alpha",
	reflect.TypeFor[dag.Edge]():     "From i Kind kind Ratio ratio Full full",
	reflect.TypeFor[dag.JobState](): "ID id State state Submitted sub Started start Finished end Attempt attempt HeldMB mb " +
		"Master am Avoided avoids Diagnosis why",
	reflect.TypeFor[dag.Groups](): "Origin origin Maps maps Note note",
	reflect.TypeFor[dag.ReduceGroups](): "Bytes b Implicit rest Attempt n OpenBytes open OpenSince since OpenKey key " +
		"Top top",
	reflect.TypeFor[dag.KeyGroup](): "Key k Bytes b",
}}

// A line is what a line has besides the fields of the snapshot.
type line struct {
	Plan *plan        `json:"plan"`
	Jobs *int         `json:"jobs"` // their number
	J    []*jobChange `json:"j"`

	s    *dag.Snapshot
	left int   // bytes that lists may still take
	err  error // the first one; nothing is read after it
}

type plan struct {
	Head json.RawMessage `json:"head"`
	Jobs *int            `json:"jobs"`
	J    []struct {
		I   int             `json:"i"`
		Job json.RawMessage `json:"job"`
	} `json:"j"`
}

// A jobChange is what changed in the state of a job.
type jobChange struct {
	I      int           `json:"i"`
	Map    *stageChange  `json:"m"`
	Reduce *stageChange  `json:"r"`
	Stages []stageChange `json:"s"`
	Groups *groupsChange `json:"g"`
	fields []byte
}

// UnmarshalJSON reads a change.
func (c *jobChange) UnmarshalJSON(b []byte) error {
	type plain jobChange
	c.I, c.fields = -1, bytes.Clone(b)
	return json.Unmarshal(b, (*plain)(c))
}

// Apply returns old with the changes of a line, and does not modify old. old is blank for a whole line. most is how
// many bytes lists may take. The caller must check the snapshot.
func Apply(old *dag.Snapshot, text []byte, most int) (*dag.Snapshot, error) {
	s := *old
	l := line{s: &s, left: most}
	const value = 24 // bytes of one
	if l.allow(bytes.Count(text, []byte(","))+bytes.Count(text, []byte("{")), value); l.err != nil {
		return nil, l.err
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, err
	}
	l.fail(names.Patch(text, &s))
	l.setPlan()
	s.Jobs = resize(&l, dag.CloneStates(s.Jobs), l.Jobs, func() dag.JobState { return dag.BlockedJob(0) })
	if l.err != nil || s.Plan == nil || len(s.Plan.Jobs) != len(s.Jobs) {
		return &s, l.err // without an error it is unusable, as the caller will find
	}
	for i := range s.Jobs {
		stages := make([]dag.StageState, len(s.Plan.Jobs[i].Stages))
		copy(stages, s.Jobs[i].Stages)
		s.Jobs[i].Stages = stages
	}
	for _, c := range l.J {
		l.job(c)
	}
	l.fail(delta.Check(&s, most))
	return &s, l.err
}

func (l *line) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// read reads a value, if it is there.
func (l *line) read(text []byte, to any) {
	if text != nil && l.err == nil {
		l.err = names.Unmarshal(text, to)
	}
}

// allow fails if a list may not grow by n items of a size.
func (l *line) allow(n, size int) {
	if l.left -= n * size; n < 0 || l.left < 0 {
		l.fail(delta.ErrLarge)
	}
}

// resize cuts or extends a list to a length; -1 is that of nil.
func resize[T any](l *line, list []T, n *int, fresh func() T) []T {
	switch {
	case n == nil || l.err != nil:
		return list
	case *n == -1:
		return nil
	case *n < 0 || *n > maxJobs:
		l.fail(fmt.Errorf("%d jobs: not a number from 0 to %d", *n, maxJobs))
		return nil
	}
	list = append(make([]T, 0, *n), list[:min(*n, len(list))]...)
	for len(list) < *n {
		list = append(list, fresh())
	}
	return list
}

// plan reads the changes of the plan.
func (l *line) setPlan() {
	if l.Plan == nil || l.err != nil {
		return
	}
	p := &dag.Plan{}
	if l.s.Plan != nil {
		*p = *l.s.Plan
	}
	if l.Plan.Head != nil {
		*p = dag.Plan{Jobs: p.Jobs}
		l.read(l.Plan.Head, p)
		p.Whole = engine.Whole(p.Engine)
	}
	p.Jobs = resize(l, slices.Clone(p.Jobs), l.Plan.Jobs, func() dag.Job {
		return dag.Job{Stages: dag.MapReduce(dag.Stage{}, dag.Stage{})}
	})
	for _, c := range l.Plan.J {
		if c.I < 0 || c.I >= len(p.Jobs) {
			l.fail(fmt.Errorf("the plan has no job %d, only %d jobs", c.I, len(p.Jobs)))
			return
		}
		p.Jobs[c.I] = l.planJob(c.Job)
	}
	l.s.Plan = p
}

func (l *line) planJob(text []byte) (j dag.Job) {
	var more struct {
		Map    json.RawMessage `json:"map"`
		Reduce json.RawMessage `json:"reduce"`
		Limits struct {
			MasterMB int `json:"am_mb"`
		} `json:"limits"`
	}
	l.read(text, &j)
	if text != nil {
		l.fail(json.Unmarshal(text, &more))
	}
	if j.MasterMB = more.Limits.MasterMB; j.Stages == nil {
		var maps, reduces dag.Stage
		l.read(more.Map, &maps)
		l.read(more.Reduce, &reduces)
		j.Stages = dag.MapReduce(maps, reduces)
	}
	return j
}

// job applies the changes of a job's state.
func (l *line) job(c *jobChange) {
	if c == nil || c.I < 0 || c.I >= len(l.s.Jobs) {
		l.fail(fmt.Errorf("the changes of no job, and there are %d", len(l.s.Jobs)))
		return
	}
	j := &l.s.Jobs[c.I]
	l.fail(names.Patch(c.fields, j))
	j.Groups = l.groups(j.Groups, c.Groups)
	stages := c.Stages
	for k, stage := range []*stageChange{c.Map, c.Reduce} {
		if stage != nil {
			stage.I = k
			stages = append(stages, *stage)
		}
	}
	for _, stage := range stages {
		if stage.I < 0 || stage.I >= len(j.Stages) {
			l.fail(fmt.Errorf("there is no stage %d, only %d stages", stage.I, len(j.Stages)))
			return
		}
		last := 0
		if l.s.Plan.Jobs[c.I].IsMapReduce() && stage.I == int(dag.Reduce) {
			last = dag.Work
		}
		l.stage(&stage, &j.Stages[stage.I], last)
	}
}
