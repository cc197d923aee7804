package tape

import (
	"fmt"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// decode applies l to old, which it leaves alone.
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
	put(l.Stale, &s.Stale, instant.dag)
	put(l.Nodes, &s.Nodes, func(v []node) []dag.NodeState { return each(v, node.dag) })
	put(l.Queues, &s.Queues, func(v []queue) []dag.QueueState { return each(v, queue.dag) })
	put(l.Load, &s.Load, func(v []load) []dag.Load { return each(v, load.dag) })
	put(l.Warnings, &s.Warnings, func(v []warning) []dag.Warning { return each(v, warning.dag) })
	if l.Count.set {
		jobs, err := resize(s.Jobs, l.Count.v, maxJobs, "jobs", blankJob())
		if err != nil {
			return nil, err
		}
		s.Jobs = jobs
	} else {
		s.Jobs = slices.Clone(s.Jobs)
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
	for k, p := range []*phaseLine{l.Map, l.Reduce} {
		if p == nil {
			continue
		}
		kind := dag.Kind(k)
		state := j.Phase(kind)
		as, err := decodePhase(state.Attempts, p, kind, s.At, most.attempts-attempts(s)+len(state.Attempts))
		if err != nil {
			return fmt.Errorf("%s tasks: %w", kind, err)
		}
		state.Attempts = as
	}
	if l.Groups == nil {
		return nil
	}
	g, err := l.Groups.apply(j.Groups, s.At, most.groups-groupPieces(s)+j.Groups.Pieces())
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
	return dag.NodeState{Name: string(n.Name), MemoryMB: n.MemoryMB, Lost: n.Lost, LostAt: dag.Instant(n.LostAt), Cause: n.Cause, Draining: n.Draining, Label: string(n.Label)}
}

func (w warning) dag() dag.Warning { return dag.Warning{Code: string(w.Code), Text: string(w.Text)} }
