package attribution

import (
	"sort"

	"github.com/paratimer/paratimer/dag"
)

// Marks are facts that only a watcher of the run has: until when each job's AM had no container, and the memory of
// other applications over time. The zero Marks are empty.
type Marks struct {
	jobs   map[string]*jobMarks // by node in the plan
	others []held
}

// jobMarks are instants of snapshots, except started.
type jobMarks struct {
	idle    dag.Instant // the last one in which the job was submitted and without a container
	holding dag.Instant // the first one in which it had a container
	started dag.Instant // start of its first master, as reported at the time
}

// held is the memory that other applications used from an instant on.
type held struct {
	at dag.Instant
	mb int
}

// mostHeld bounds the stored changes: at the limit, every second one is dropped.
const mostHeld = 1 << 14

// See records a snapshot. Snapshots come in order; a repeated one is ignored.
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
		// If memory is not reported, the state after Submitted or the master's first attempt shows that it has a
		// container.
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

// of returns a job's marks, nil if there are none.
func (m *Marks) of(node string) *jobMarks {
	if m == nil {
		return nil
	}
	return m.jobs[node]
}

// heldAt returns the memory of other applications in the last snapshot by t.
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
