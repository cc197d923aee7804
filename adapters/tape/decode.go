package tape

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
)

// decode returns old with the changes of l, and does not modify old.
func decode(old *dag.Snapshot, l *line, most bounds) (*dag.Snapshot, error) {
	if l.Whole {
		old = blank()
	}
	s := *old
	s.At = dag.Instant(l.At)
	if l.Plan != nil {
		var err error
		if s.Plan, err = decodePlan(old.Plan, l.Plan, most.groups); err != nil {
			return nil, err
		}
	}
	put(l.ID, &s.ID, plain)
	put(l.User, &s.User, plain)
	put(l.Queue, &s.Queue, plain)
	put(l.State, &s.State, same)
	put(l.Inferred, &s.Inferred, same)
	put(l.Stale, &s.Stale, instant.dag)
	put(l.Nodes, &s.Nodes, func(v []node) []dag.NodeState { return each(v, node.dag) })
	put(l.Queues, &s.Queues, func(v []queue) []dag.QueueState { return each(v, queue.dag) })
	put(l.Load, &s.Load, func(v []load) []dag.Load { return each(v, load.dag) })
	put(l.Coming, &s.Coming, func(v []coming) []dag.Capacity { return each(v, coming.dag) })
	put(l.Warnings, &s.Warnings, func(v []warning) []dag.Warning { return each(v, warning.dag) })
	if l.Count.set {
		jobs, err := resize(s.Jobs, l.Count.v, maxJobs, "jobs", blankJob())
		if err != nil {
			return nil, err
		}
		s.Jobs = dag.CloneStates(jobs)
	} else {
		s.Jobs = dag.CloneStates(s.Jobs)
	}
	if s.Plan == nil || len(s.Plan.Jobs) != len(s.Jobs) {
		return nil, check(&s)
	}
	for i := range s.Jobs {
		if have, want := len(s.Jobs[i].Stages), len(s.Plan.Jobs[i].Stages); have != want {
			stages := make([]dag.StageState, want)
			copy(stages, s.Jobs[i].Stages)
			s.Jobs[i].Stages = stages
		}
	}
	for i := range l.Jobs {
		j := &l.Jobs[i]
		if j.Index < 0 || j.Index >= len(s.Jobs) {
			return nil, fmt.Errorf("there is no job %d, only %d jobs", j.Index, len(s.Jobs))
		}
		if err := j.apply(&s, &s.Jobs[j.Index], most); err != nil {
			return nil, fmt.Errorf("job %d: %w", j.Index, err)
		}
	}
	return &s, check(&s)
}

func (l *jobLine) apply(s *dag.Snapshot, j *dag.JobState, most bounds) error {
	put(l.ID, &j.ID, plain)
	put(l.State, &j.State, same)
	put(l.Submitted, &j.Submitted, instant.dag)
	put(l.Started, &j.Started, instant.dag)
	put(l.Finished, &j.Finished, instant.dag)
	put(l.Attempt, &j.Attempt, same)
	put(l.HeldMB, &j.HeldMB, same)
	put(l.Master, &j.Master, plain)
	put(l.Avoided, &j.Avoided, same)
	put(l.Diagnosis, &j.Diagnosis, plain)
	job := &s.Plan.Jobs[l.Index]
	lines := l.Stages
	for k, p := range []*phaseLine{l.Map, l.Reduce} {
		if p != nil {
			lines = append(lines, stageLine{k, *p})
		}
	}
	for i := range lines {
		p := &lines[i]
		if p.Index < 0 || p.Index >= len(j.Stages) {
			return fmt.Errorf("there is no stage %d, only %d stages", p.Index, len(j.Stages))
		}
		state := &j.Stages[p.Index]
		put(p.Submitted, &state.Submitted, instant.dag)
		if !p.All && p.Gone == nil && p.Rows == nil {
			continue
		}
		as, err := decodePhase(state.Attempts, &p.phaseLine, lastPipeline(job.IsMapReduce(), p.Index), s.At,
			most.attempts-attempts(s)+len(state.Attempts))
		if err != nil {
			return fmt.Errorf("%s tasks: %w", job.Stages[p.Index].Name, err)
		}
		state.Attempts = as
	}
	if l.Groups == nil {
		return nil
	}
	g, err := l.Groups.apply(j.Groups, s.At, most.groups-groupsSize(s)+j.Groups.Size())
	if err != nil {
		return fmt.Errorf("key groups: %w", err)
	}
	j.Groups = g
	return nil
}

func same[T any](v T) T { return v }

func plain(t text) string { return string(t) }

func (i instant) dag() dag.Instant { return dag.Instant(i) }

func (n node) dag() dag.NodeState {
	return dag.NodeState{
		Name: string(n.Name), MemoryMB: n.MemoryMB, Cores: n.Cores, Lost: n.Lost,
		LostAt: dag.Instant(n.LostAt), Cause: n.Cause, Draining: n.Draining, Label: string(n.Label),
	}
}

func (c coming) dag() dag.Capacity { return dag.Capacity{At: dag.Instant(c.At), Cores: c.Cores} }

func (w warning) dag() dag.Warning { return dag.Warning{Code: string(w.Code), Text: string(w.Text)} }
