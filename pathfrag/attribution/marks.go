package attribution

import (
	"sort"

	"github.com/paratimer/paratimer/dag"
)

// Marks are what only somebody who has watched the run knows: until when each job's AM had no container, and what other
// applications held. The zero Marks have seen nothing.
type Marks struct {
	jobs   map[string]*jobMarks // by node in the plan
	others []held
}

// jobMarks are instants of snapshots.
type jobMarks struct {
	idle    dag.Instant // the last one that showed the job submitted and without a container
	holding dag.Instant // the first one that showed it with one
	started dag.Instant // when its first master had begun, as told then
}

// held is what other applications held from an instant on.
type held struct {
	at dag.Instant
	mb int
}

// mostHeld bounds the changes that are kept: of more, every second one is forgotten.
const mostHeld = 1 << 14

// See notes a snapshot. Snapshots come in order; a repeated one tells nothing.
func (m *Marks) See(s *dag.Snapshot) {
	if s.Stale.Known() || s.Plan == nil || len(s.Jobs) != len(s.Plan.Jobs) {
		return
	}
	if m.jobs == nil {
		m.jobs = make(map[string]*jobMarks)
	}
	for j := range s.Jobs {
		js := &s.Jobs[j]
		if !js.Submitted.Known() {
			continue
		}
		node := s.Plan.Jobs[j].Node
		job := m.jobs[node]
		if job == nil {
			job = &jobMarks{dag.NoInstant, dag.NoInstant, dag.NoInstant}
			m.jobs[node] = job
		}
		if !job.started.Known() {
			job.started = js.Started
		}
		if job.holding.Known() {
			continue
		}
		// Where nobody tells what an application holds, its master's first life says that it has a container.
		if js.State == dag.Submitted && js.HeldMB == 0 && (s.Plan.Jobs[j].MasterMB > 0 || js.Attempt == 0) {
			job.idle = s.At
		} else {
			job.holding = s.At
		}
	}
	mb := 0
	for i := range s.Load {
		mb += s.Load[i].HeldMB
	}
	if n := len(m.others); n == 0 && mb > 0 || n > 0 && m.others[n-1].mb != mb {
		m.others = append(m.others, held{s.At, mb})
	}
	if len(m.others) >= mostHeld {
		for i := range len(m.others) / 2 {
			m.others[i] = m.others[2*i+1]
		}
		m.others = m.others[:len(m.others)/2]
	}
}

// of returns a job's marks, nil where there are none.
func (m *Marks) of(node string) *jobMarks {
	if m == nil {
		return nil
	}
	return m.jobs[node]
}

// heldAt is what other applications held, as the last snapshot by t told.
func (m *Marks) heldAt(t dag.Instant) int {
	if m == nil {
		return 0
	}
	i := sort.Search(len(m.others), func(i int) bool { return m.others[i].at > t })
	if i == 0 {
		return 0
	}
	return m.others[i-1].mb
}
