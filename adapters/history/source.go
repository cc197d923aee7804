package history

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/paratimer/paratimer/adapters/mrjob"
	"github.com/paratimer/paratimer/dag"
)

// DefaultEvery is the time between two snapshots of a short run. A longer run has about MaxTicks snapshots.
const (
	DefaultEvery = time.Second
	MaxTicks     = 3600
)

// A Source replays one workflow. It yields a snapshot each Every from the submission of the first job on, and one at
// the end.
type Source struct {
	workflow *Workflow
	jobs     []*replay // parallel to the workflow's jobs
	cluster  dag.Cluster
	nodes    []dag.NodeState
	every    time.Duration
	at, last dag.Instant // of the next snapshot, and of the last one
	ended    bool
	plan     *dag.Plan
	remarks  []dag.Warning // in each snapshot
	left     []string      // omitted nodes of the graph: their history is missing
}

// NewSource returns a source that replays w. every is the time between snapshots; 0 chooses it automatically.
func NewSource(w *Workflow, every time.Duration) (*Source, error) {
	if len(w.Jobs) == 0 {
		return nil, errors.New("there is no job in it")
	}
	s := &Source{workflow: w, last: dag.NoInstant}
	for _, j := range w.Jobs {
		if !j.Submitted.Known() {
			return nil, errors.New(j.ID + ": its history does not tell when it was submitted")
		}
		j.settle()
		s.last = max(s.last, j.Submitted, j.Launched, j.Finished, j.Last)
	}
	s.cluster = clusterOf(w.Jobs)
	nodes := map[string]int32{}
	for i, n := range s.cluster.Nodes {
		nodes[n.Name] = int32(i) //nolint:gosec // far fewer than attempts, which are in memory
		s.nodes = append(s.nodes, dag.NodeState{Name: n.Name, MemoryMB: n.MemoryMB, LostAt: dag.NoInstant})
	}
	s.at = w.Jobs[0].Submitted
	for _, j := range w.Jobs {
		s.at = min(s.at, j.Submitted)
		r := &replay{Job: j, nodes: nodes}
		for k := range r.shown {
			r.shown[k] = make([]*dag.Attempt, len(j.Attempts[k]))
		}
		s.jobs = append(s.jobs, r)
	}
	if every <= 0 {
		every = max(DefaultEvery, (s.last.Sub(s.at)/MaxTicks + time.Second - 1).Truncate(time.Second))
	}
	s.every = max(every, time.Millisecond)
	s.leaveOut()
	s.remark()
	return s, nil
}

// AtMost limits the number of snapshots.
func (s *Source) AtMost(n int) { s.every = max(s.every, s.last.Sub(s.at)/time.Duration(n)) }

// Next returns the next snapshot, io.EOF after the last.
func (s *Source) Next(ctx context.Context) (*dag.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.ended {
		return nil, io.EOF
	}
	t := min(s.at, s.last)
	s.ended = t == s.last
	s.at = t.Add(s.every)
	return s.snapshot(t), nil
}

// leaveOut finds nodes of the workflow graph that should have run but have no history.
func (s *Source) leaveOut() {
	members := make([]mrjob.Member, len(s.jobs))
	for i, j := range s.workflow.Jobs {
		members[i] = mrjob.Member{Job: j.ID, Settings: &j.Settings, State: j.State}
	}
	vertices := mrjob.GraphOf(members).Vertices
	stopped := make([]bool, len(vertices))
	for i, v := range vertices {
		for _, a := range v.After {
			stopped[i] = stopped[i] || stopped[a]
		}
		switch {
		case v.Member >= 0:
			stopped[i] = stopped[i] || members[v.Member].State != dag.Succeeded
		case !stopped[i]:
			s.left = append(s.left, v.Node)
		}
	}
}
