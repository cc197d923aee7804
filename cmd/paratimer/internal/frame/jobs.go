package frame

import (
	"maps"
	"slices"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/pathfrag"
	"github.com/paratimer/paratimer/schedule"
	"github.com/paratimer/paratimer/units"
)

// A Job has the progress of a job, and how much later it may end without delaying the end of the query.
type Job struct {
	Node  string    `json:"node"`
	ID    *string   `json:"id"`
	Name  *string   `json:"name"`
	After []string  `json:"after"` // nodes of the jobs that it reads the outputs of
	State dag.State `json:"state"`
	// Diagnosis is the engine's reason for the failure; nil: none, or unknown.
	Diagnosis    *string  `json:"diagnosis,omitempty"`
	SlackSeconds *Seconds `json:"slack_seconds"`
	Maps         Tasks    `json:"maps"`
	Reduces      Tasks    `json:"reduces"`
	Stages       []Stage  `json:"stages"` // in the order of the plan; for a MapReduce job map and reduce
	// Critical is true if the job is on the remaining critical path.
	Critical bool `json:"critical"`
	// SubmittedSeconds and EndSeconds are observed, or, after the frame's instant, predicted by standard.
	SubmittedSeconds *Seconds `json:"submitted_seconds"`
	EndSeconds       *Seconds `json:"end_seconds"`
	// its stages that have tasks, in the order of the plan; empty if unknown
	Stretches []Stretch `json:"stretches"`
}

// A Stage has the progress of a stage of a job.
type Stage struct {
	Name  string    `json:"name"`
	URL   string    `json:"url,omitempty"`   // its page at the engine
	Group *dag.Page `json:"group,omitempty"` // the job of Spark that submitted it
	After []string  `json:"after"`           // the stages that it reads the outputs of
	// Edges are the kinds of these inputs, in the order of After: slow_start, broadcast. Only for a Tez DAG.
	Edges []string `json:"edges,omitempty"`
	Tasks
}

// Tasks counts a stage's tasks. Total is nil if it is unknown.
type Tasks struct {
	Total   *int `json:"total"`
	Done    int  `json:"done"`
	Running int  `json:"running"`
}

// A Stretch is the time interval of a stage: observed before the frame's instant, predicted after it.
type Stretch struct {
	Phase        Phase    `json:"phase"`         // a stage
	StartSeconds *Seconds `json:"start_seconds"` // its first task starts
	EndSeconds   *Seconds `json:"end_seconds"`   // its last task ends
	// ProgressRatio is the part of this interval that has passed: 0 before it, 1 after it, nil if its end is unknown
	// (E. Coppa, I. Finocchi, SoCC 2015, section 3).
	ProgressRatio *Ratio `json:"progress_ratio"`
}

// Known adds up the known numbers of tasks of a job's stages; all is false if some are unknown.
func (j *Job) Known() (sum Tasks, all bool) {
	stages := j.Stages
	if len(stages) == 0 {
		stages = []Stage{{Tasks: j.Maps}, {Tasks: j.Reduces}}
	}
	sum.Total, all = new(int), true
	for k := range stages {
		t := &stages[k].Tasks
		all = all && t.Total != nil
		*sum.Total += ValueOf(t.Total)
		sum.Done, sum.Running = sum.Done+t.Done, sum.Running+t.Running
	}
	return sum, all
}

// Count adds up the numbers of tasks of a job's stages. Their total is nil if one is unknown.
func (j *Job) Count() Tasks {
	sum, all := j.Known()
	if !all {
		sum.Total = nil
	}
	return sum
}

// IsMapReduce reports whether the job has maps and reduces, or its stages are unknown.
func (j *Job) IsMapReduce() bool {
	return len(j.Stages) == 0 || len(j.Stages) == dag.MapReduceStages &&
		j.Stages[dag.Map].Name == dag.MapReduceName(dag.Map)
}

// A future is the part of standard's schedule that may be shown as a prediction: the tasks of each stage that have not
// ended, and those of them on the critical path.
type future struct {
	planned, critical   map[stageOf][]*schedule.Span
	submitted, finished []dag.Instant // by job
}

// A stageOf is a stage of a job.
type stageOf struct {
	job   int
	stage dag.StageIndex
}

// futureOf returns the future of a path.
func futureOf(path *pathfrag.Path) *future {
	f := &future{
		planned: map[stageOf][]*schedule.Span{}, critical: map[stageOf][]*schedule.Span{},
		submitted: path.Schedule.Submitted, finished: path.Schedule.Finished,
	}
	add := func(to map[stageOf][]*schedule.Span, sp *schedule.Span) {
		if key := (stageOf{int(sp.Job), sp.Stage}); !sp.Past && sp.Pause == dag.NoPause {
			to[key] = append(to[key], sp)
		}
	}
	for i := range path.Schedule.Spans {
		add(f.planned, &path.Schedule.Spans[i])
	}
	for _, seg := range path.Critical {
		for sp := range path.Spans(seg) {
			add(f.critical, sp)
		}
	}
	return f
}

// jobs returns the state and progress of each job, in plan order.
func jobs(s *dag.Snapshot, path *pathfrag.Path, next *future) []Job {
	out, origin := make([]Job, len(s.Plan.Jobs)), s.Origin()
	for i := range out {
		p, j := &s.Plan.Jobs[i], stateOf(s, i)
		job := Job{
			Node: p.Node, ID: Text(j.ID), Name: Text(p.Name), State: j.State, Stages: stages(s, i),
			After:     units.Each(p.After, func(a int) string { return s.Plan.Jobs[a].Node }),
			Stretches: []Stretch{},
		}
		if j.State == dag.Failed {
			job.Diagnosis = Text(j.Diagnosis)
		}
		if p.IsMapReduce() {
			job.Maps, job.Reduces = job.Stages[dag.Map].Tasks, job.Stages[dag.Reduce].Tasks
		}
		if !j.State.Ended() {
			if i < len(path.Slack) {
				job.SlackSeconds = SecondsIn(&path.Slack[i])
			}
			if i < len(next.submitted) {
				j.Submitted = dag.FirstKnown(j.Submitted, next.submitted[i])
				j.Finished = dag.FirstKnown(j.Finished, next.finished[i])
			}
		}
		job.SubmittedSeconds, job.EndSeconds = Since(j.Submitted, origin), Since(j.Finished, origin)
		for k := range p.NumStages() {
			if one, any := stretch(s, i, k, job.Stages[k].Done, next.planned[stageOf{i, k}]); any {
				job.Stretches = append(job.Stretches, one)
			}
		}
		out[i] = job
	}
	critical(path, out)
	return out
}

// stateOf returns the state of a job of the plan.
func stateOf(s *dag.Snapshot, job int) dag.JobState {
	if job < len(s.Jobs) {
		return s.Jobs[job]
	}
	return dag.BlockedJob(len(s.Plan.Jobs[job].Stages))
}

// critical marks the jobs on the critical path that have not ended: those with tasks on it, or only with their end if
// the tasks are done.
func critical(path *pathfrag.Path, jobs []Job) {
	for _, seg := range path.Critical {
		for sp := range path.Spans(seg) {
			if j := int(sp.Job); j < len(jobs) && (sp.Pause == dag.NoPause || sp.Pause == dag.Finish) {
				jobs[j].Critical = !jobs[j].State.Ended()
			}
		}
	}
}

// stages counts the tasks of each stage of a job; for a DAG, it also names the kinds of edges.
func stages(s *dag.Snapshot, job int) []Stage {
	p := s.Plan.Jobs[job].Stages
	out := make([]Stage, len(p))
	for k := range p {
		out[k] = Stage{
			Name: p[k].Label(), URL: p[k].URL, Tasks: count(&p[k], s.Attempts(job, dag.StageIndex(k))),
			After: units.Each(p[k].After, func(e dag.Edge) string { return p[e.From].Label() }),
		}
		if p[k].Group.Name != "" {
			out[k].Group = &p[k].Group
		}
		if s.Plan.IsWhole() {
			out[k].Edges = units.Each(p[k].After, func(e dag.Edge) string { return e.Kind.String() })
		}
	}
	return out
}

// count counts tasks, not attempts: a task with two running attempts counts once.
func count(p *dag.Stage, attempts []dag.Attempt) (t Tasks) {
	if p.Known {
		t.Total = new(p.Tasks)
	}
	n := [dag.TaskDone + 1]int{}
	dag.EachTask(attempts, func(_ int, state dag.TaskState, _ *dag.Attempt) { n[state]++ })
	t.Done, t.Running = n[dag.TaskDone], n[dag.TaskRunning]
	return t
}

// stretch returns the interval of a stage; any is false if, as far as known, the stage has no tasks. Its end is known
// if all its tasks are done, or if there is a plan for the others.
func stretch(s *dag.Snapshot, job int, k dag.StageIndex, done int, planned []*schedule.Span) (out Stretch, any bool) {
	list, count, over := s.Attempts(job, k), s.Plan.Jobs[job].Stages[k].Count(), jobOver(s, job)
	whole := over || count > 0 && done >= count
	if whole {
		planned = nil
	}
	start, end := dag.NoInstant, dag.NoInstant
	began := func(at dag.Instant) {
		if !start.Known() || at.Known() && at < start {
			start = at
		}
	}
	for i := range list {
		a := &list[i]
		began(a.Start)
		if over || a.State == dag.AttemptSucceeded && (whole || len(planned) > 0) {
			end = max(end, a.End)
		}
	}
	for _, sp := range planned {
		began(sp.Start)
		end = max(end, sp.End)
	}
	out = Stretch{
		Phase: PhaseOf(s.Plan, job, k, dag.NoPause), StartSeconds: Since(start, s.Origin()),
		EndSeconds: Since(end, s.Origin()),
	}
	switch at, from, to := elapsed(s), out.StartSeconds, out.EndSeconds; {
	case at == nil:
	case from != nil && *at <= *from:
		out.ProgressRatio = RatioOf(0)
	case to != nil && *at >= *to:
		out.ProgressRatio = RatioOf(1)
	case from != nil && to != nil:
		out.ProgressRatio = RatioOf(float64(*at-*from) / float64(*to-*from))
	}
	return out, count > 0 || len(list) > 0 || len(planned) > 0
}

// segments returns the remaining critical path.
func segments(s *dag.Snapshot, path *pathfrag.Path) []Segment {
	return units.Each(path.Critical, func(c pathfrag.Segment) Segment {
		f := &path.Fragments[c.Fragment]
		return Segment{
			Jobs: NodesOf(s.Plan, path, f), Phase: PhaseOf(s.Plan, path.JobOf(f), f.Stage, f.Pause), Slots: f.Width,
			StartSeconds: Since(c.Start, s.Origin()), EndSeconds: Since(c.End, s.Origin()),
		}
	})
}

// JobsOf returns the jobs with a task in the fragment, in plan order.
func JobsOf(path *pathfrag.Path, f *pathfrag.Fragment) []int32 {
	in := map[int32]bool{}
	for _, r := range f.Rounds {
		for _, i := range path.Rounds[r].Spans {
			in[path.Schedule.Spans[i].Job] = true
		}
	}
	return slices.Sorted(maps.Keys(in))
}

// NodesOf returns the names of these jobs.
func NodesOf(plan *dag.Plan, path *pathfrag.Path, f *pathfrag.Fragment) []string {
	return units.Each(JobsOf(path, f), func(job int32) string { return plan.Jobs[job].Node })
}

// A Phase is a stage of a job, or a pause. In JSON it is its Name.
type Phase struct {
	Stage dag.StageIndex // dag.NoStage for a pause
	Name  string         // of the stage in the plan, or of the pause
}

// PhaseOf returns the phase of a stage of a job of plan, or of a pause.
func PhaseOf(plan *dag.Plan, job int, stage dag.StageIndex, pause dag.Pause) Phase {
	if pause != dag.NoPause {
		return Phase{Stage: dag.NoStage, Name: pause.String()}
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
			p.Stage = dag.NoStage
		}
	}
	if p.Name == dag.MapReduceName(dag.Reduce) {
		p.Stage = dag.Reduce
	}
	return nil
}
