package frame

import (
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
)

// jobs returns the state and progress of each job, in plan order.
func jobs(s *dag.Snapshot, scenarios []estimators.Estimate) []Job {
	out := make([]Job, len(s.Plan.Jobs))
	var path *pathfrag.Path
	if len(scenarios) > 0 && !s.State.Ended() {
		path = scenarios[0].Path
	}
	for i := range s.Plan.Jobs {
		p := &s.Plan.Jobs[i]
		out[i] = Job{Node: p.Node, Name: Text(p.Name), After: make([]string, len(p.After)), State: dag.Blocked}
		for k, a := range p.After {
			out[i].After[k] = s.Plan.Jobs[a].Node
		}
		if i < len(s.Jobs) {
			j := &s.Jobs[i]
			out[i].ID, out[i].State = Text(j.ID), j.State
			if j.State == dag.Failed {
				out[i].Diagnosis = Text(j.Diagnosis)
			}
			out[i].Stages = stages(p, j, s.Plan.IsWhole())
			if p.IsMapReduce() {
				out[i].Maps, out[i].Reduces = out[i].Stages[dag.Map].Tasks, out[i].Stages[dag.Reduce].Tasks
			}
		}
		if path != nil && i < len(path.Slack) && !out[i].State.Ended() {
			out[i].SlackSeconds = SecondsIn(&path.Slack[i])
		}
	}
	for i, on := range critical(path, len(out)) {
		out[i].Critical = on && !out[i].State.Ended()
	}
	lanes(s, planned(s, scenarios), out)
	return out
}

// stages counts the tasks of each stage of a job; for a DAG, it also names the kinds of edges.
func stages(p *dag.Job, j *dag.JobState, kinds bool) []Stage {
	out := make([]Stage, len(p.Stages))
	for k := range p.Stages {
		out[k] = Stage{
			Name: p.Stages[k].Name, After: make([]string, len(p.Stages[k].After)),
			Tasks: count(&p.Stages[k], &j.Stages[k]),
		}
		for i, e := range p.Stages[k].After {
			out[k].After[i] = p.Stages[e.From].Name
			if kinds {
				out[k].Edges = append(out[k].Edges, e.Kind.String())
			}
		}
	}
	return out
}

// count counts tasks, not attempts: a task with two running attempts counts once.
func count(p *dag.Stage, s *dag.StageState) Tasks {
	var t Tasks
	if p.Known {
		n := p.Tasks
		t.Total = &n
	}
	for i := 0; i < len(s.Attempts); {
		task := s.Attempts[i].Task
		var done, running bool
		for ; i < len(s.Attempts) && s.Attempts[i].Task == task; i++ {
			done = done || s.Attempts[i].State == dag.AttemptSucceeded
			running = running || s.Attempts[i].State == dag.AttemptRunning
		}
		switch {
		case done:
			t.Done++
		case running:
			t.Running++
		}
	}
	return t
}

// segments returns the remaining critical path.
func segments(s *dag.Snapshot, path *pathfrag.Path, origin dag.Instant) []Segment {
	if path == nil {
		return []Segment{}
	}
	out := make([]Segment, len(path.Critical))
	for i, c := range path.Critical {
		f := &path.Fragments[c.Fragment]
		out[i] = Segment{
			Jobs: nodes(s.Plan, path, f), Phase: PhaseOf(s.Plan, path.JobOf(f), f.Stage, f.Pause), Slots: f.Width,
			StartSeconds: Since(c.Start, origin), EndSeconds: Since(c.End, origin),
		}
	}
	return out
}

// nodes returns the names of the jobs with a task in the fragment, in plan order.
func nodes(plan *dag.Plan, path *pathfrag.Path, f *pathfrag.Fragment) []string {
	in := make([]bool, len(plan.Jobs))
	for _, r := range f.Rounds {
		for _, i := range path.Rounds[r].Spans {
			in[path.Schedule.Spans[i].Job] = true
		}
	}
	out := []string{}
	for i := range in {
		if in[i] {
			out = append(out, plan.Jobs[i].Node)
		}
	}
	return out
}

// A Phase is a stage of a job, or a pause. In JSON it is its Name.
type Phase struct {
	Stage dag.StageIndex // dag.NoStage for a pause
	Pause dag.Pause
	Name  string // of the stage in the plan, or of the pause
}

// PhaseOf returns the phase of a stage of a job of plan, or of a pause.
func PhaseOf(plan *dag.Plan, job int, stage dag.StageIndex, pause dag.Pause) Phase {
	if pause != dag.NoPause {
		return Phase{Stage: dag.NoStage, Pause: pause, Name: pause.String()}
	}
	return Phase{Stage: stage, Name: plan.StageName(job, stage)}
}

func (p Phase) String() string { return p.Name }

// MarshalText returns the name.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.Name), nil }

// UnmarshalText parses the name. The other fields are set only for a pause and for a MapReduce job's stages.
func (p *Phase) UnmarshalText(b []byte) error {
	*p = Phase{Name: string(b)}
	for pause := dag.Launch; pause <= dag.Finish; pause++ {
		if pause.String() == p.Name {
			p.Stage, p.Pause = dag.NoStage, pause
		}
	}
	if p.Name == dag.MapReduceName(dag.Reduce) {
		p.Stage = dag.Reduce
	}
	return nil
}
