package watch

import (
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/pathfrag"
)

// jobs counts the tasks of each job, in plan order.
func jobs(s *dag.Snapshot, scenarios []estimators.Estimate) []frame.Job {
	out := make([]frame.Job, len(s.Plan.Jobs))
	var path *pathfrag.Path
	if len(scenarios) > 0 && !s.State.Ended() {
		path = scenarios[0].Path
	}
	for i := range s.Plan.Jobs {
		p := &s.Plan.Jobs[i]
		out[i] = frame.Job{Node: p.Node, Name: frame.Text(p.Name), After: make([]string, len(p.After)), State: dag.Blocked}
		for k, a := range p.After {
			out[i].After[k] = s.Plan.Jobs[a].Node
		}
		if i < len(s.Jobs) {
			j := &s.Jobs[i]
			out[i].ID, out[i].State = frame.Text(j.ID), j.State
			out[i].Maps, out[i].Reduces = count(&p.Map, &j.Map), count(&p.Reduce, &j.Reduce)
		}
		if path != nil && i < len(path.Slack) && !out[i].State.Ended() {
			out[i].SlackSeconds = frame.SecondsIn(&path.Slack[i])
		}
	}
	for i, on := range critical(path, len(out)) {
		out[i].Critical = on && !out[i].State.Ended()
	}
	lanes(s, planned(s, scenarios), out)
	return out
}

// count counts tasks, not attempts: a task that runs twice at once runs once here.
func count(p *dag.Phase, s *dag.PhaseState) frame.Tasks {
	var t frame.Tasks
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

// segments is the critical path from now on.
func segments(s *dag.Snapshot, path *pathfrag.Path, origin dag.Instant) []frame.Segment {
	if path == nil {
		return []frame.Segment{}
	}
	out := make([]frame.Segment, len(path.Critical))
	for i, c := range path.Critical {
		f := &path.Fragments[c.Fragment]
		out[i] = frame.Segment{
			Jobs: nodes(s.Plan, path, f), Phase: f.Kind, Slots: f.Width,
			StartSeconds: frame.Since(c.Start, origin), EndSeconds: frame.Since(c.End, origin),
		}
	}
	return out
}

// nodes names the jobs with a task in the fragment, in plan order.
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
