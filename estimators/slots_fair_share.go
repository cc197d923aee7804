package estimators

import (
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// slotsFairShare has us end up with our fair share: what our queue is guaranteed among the queues that somebody uses,
// split evenly among its users. What others hold above the rest they free within the length of their tasks; what they
// hold less they take first of all that comes free.
func slotsFairShare(_ dag.Run, s *dag.Snapshot) {
	theirs, held := max(0, clusterMB(s)-fairMB(s)), othersMB(s)
	stay := dag.Load{
		ID: "others", Queue: "others", Submitted: dag.NoInstant, HeldMB: min(held, theirs),
		PendingMB: max(0, theirs-held), ShareMB: dag.MaxMemory, Until: dag.NoInstant,
	}
	going := stay
	going.ID, going.HeldMB, going.PendingMB = "others that go", max(0, held-theirs), 0
	going.Until = s.At.Add(max(time.Second, othersTask(s)))
	queue := s.QueueNamed(s.Queue)
	s.Queues, s.Load = nil, []dag.Load{stay, going}
	if queue != nil {
		s.Queues = []dag.QueueState{*queue}
	}
}

// fairMB is our fair share of the cluster.
func fairMB(s *dag.Snapshot) int {
	var users, queues []string
	ours, all := guaranteed(s, s.Queue), 0
	queues = append(queues, s.Queue)
	users = append(users, s.User)
	for i := range s.Load {
		l := &s.Load[i]
		if !slices.Contains(queues, l.Queue) {
			queues = append(queues, l.Queue)
		}
		name := l.User
		if name == "" {
			name = l.ID // each application of which nobody says whose it is counts as a user's
		}
		if l.Queue == s.Queue && !slices.Contains(users, name) {
			users = append(users, name)
		}
	}
	for _, q := range queues {
		all += guaranteed(s, q)
	}
	total := clusterMB(s)
	share := float64(total)
	if all > 0 {
		share *= float64(ours) / float64(all)
	}
	if q := s.QueueNamed(s.Queue); q != nil && q.MaxMB > 0 {
		share = min(share, float64(q.MaxMB))
	}
	return int(share) / len(users)
}

// guaranteed is what a queue is guaranteed; ours has what the others are not guaranteed, where nobody says it.
func guaranteed(s *dag.Snapshot, queue string) int {
	if q := s.QueueNamed(queue); q != nil && q.ShareMB > 0 {
		return q.ShareMB
	}
	rest, seen := clusterMB(s), []string{s.Queue}
	for i := range s.Load {
		l := &s.Load[i]
		if l.Queue == queue && queue != s.Queue {
			return l.ShareMB
		}
		if !slices.Contains(seen, l.Queue) {
			seen = append(seen, l.Queue)
			rest -= l.ShareMB
		}
	}
	return max(0, rest)
}

// clusterMB is the memory of the nodes that are not lost.
func clusterMB(s *dag.Snapshot) int {
	sum := 0
	for i := range s.Nodes {
		if !s.Nodes[i].Lost {
			sum += s.Nodes[i].MemoryMB
		}
	}
	if total := s.Plan.Cluster.MemoryMB; sum == 0 || total > 0 && total < sum {
		return total
	}
	return sum
}
