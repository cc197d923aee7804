package estimators

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/internal/taskcost"
	"github.com/paratimer/paratimer/schedule"
)

// Slots returns C, the number of tasks of a job's stage that can run at once: the slots of the kind (FIFO), or the
// number that fits beside the job's own AM in our memory (YARN). At least 1; if memory or size is unknown, all
// tasks fit.
func Slots(plan *dag.Plan, job int, k dag.StageIndex) int {
	c := &plan.Cluster
	if c.Policy == dag.FIFO {
		if k == dag.Map {
			return max(1, c.MapSlots)
		}
		return max(1, c.ReduceSlots)
	}
	j := &plan.Jobs[job]
	stage := &j.Stages[k]
	pool, task, most := c.UsableMB(), j.TaskMB(k), stage.MaxRunning
	switch {
	case c.Policy == dag.Executors:
		pool, task = c.Cores, max(1, stage.Cores)
	case j.IsMapReduce():
		most = [...]int{j.MapReduce.MaxMaps, j.MapReduce.MaxReduces}[k]
	}
	n := max(1, j.Stages[k].Count())
	if pool > 0 && task > 0 {
		n = max(1, (pool-j.MasterMB)/task)
	}
	if most > 0 {
		n = min(n, most)
	}
	return n
}

// slotsAsNow assumes that other applications keep their containers, but release them at the net rate of the last
// minute. They take no free containers, and none of ours.
func slotsAsNow(run dag.Run, s *dag.Snapshot) {
	held, rate := s.OthersMB(), freedRate(run)
	for i := range s.Load {
		l := &s.Load[i]
		l.Need, l.PendingMB, l.Length, l.Until = nil, 0, 0, dag.NoInstant
		if rate > 0 {
			l.Until = s.At.Add(taskcost.Exact(float64(held) / rate))
		}
	}
}

// freedRate returns the decrease of others' memory per millisecond, the mean over the last minute; 0 if it
// grows.
func freedRate(run dag.Run) float64 {
	now := run.Now()
	for _, s := range run.Window {
		if span := now.At - s.At; span > 0 {
			return max(0, float64(s.OthersMB()-now.OthersMB())/float64(span))
		}
	}
	return 0
}

// slotsFairShare assumes that we end up with our fair share: our queue's guarantee among the queues in use, split
// evenly among its users. Others release what they use above the rest within the length of their tasks. If they use
// less, they get released memory first.
func slotsFairShare(_ dag.Run, s *dag.Snapshot) {
	theirs, held := max(0, clusterMB(s)-fairMB(s)), s.OthersMB()
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

// fairMB returns our fair share of the cluster.
func fairMB(s *dag.Snapshot) int {
	users, queues := []string{s.User}, []string{s.Queue}
	ours, all := guaranteed(s, s.Queue), 0
	for i := range s.Load {
		l := &s.Load[i]
		if !slices.Contains(queues, l.Queue) {
			queues = append(queues, l.Queue)
		}
		name := cmp.Or(l.User, l.ID) // an application without a known user counts as a user
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

// guaranteed returns a queue's guarantee; if ours is unknown, what the other queues leave.
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

// clusterMB returns the memory of the nodes that are not lost.
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

// othersAs replays the newest snapshot with change applied to the other applications. If there is no other
// application, the estimate is standard, marked as Moot. A replay that can only go on after others have ended gives
// a floor.
func othersAs(change func(run dag.Run, s *dag.Snapshot)) func(*ReplayContext) (Estimate, error) {
	return func(w *ReplayContext) (Estimate, error) {
		if moot := len(w.Now().Load) == 0; moot || w.ended() {
			ms, err := w.standardMS()
			if err != nil {
				return Estimate{Moot: moot}, err
			}
			e := w.scenario(ms)
			e.Moot = moot
			return e, nil
		}
		s := *w.Now()
		s.Load = slices.Clone(s.Load)
		change(w.Run, &s)
		sch, err := schedule.Replay(&s, w.Costs.Left, schedule.Options{EndOnly: &schedule.EndOnly{}})
		if err != nil {
			return Estimate{}, err
		}
		ms := float64(sch.End - sch.Now)
		if len(s.Load) == 0 {
			// With more room a list scheduler may end a little later, because tasks run in another order (Graham
			// 1969). The absence of others must not cost time.
			standard, err := w.standardMS()
			if err != nil {
				return Estimate{}, err
			}
			ms = min(ms, standard)
		}
		e := w.early(w.EstimateOf(ms))
		e.Origin = w.leastSure(func(int, dag.StageIndex) bool { return true })
		if sch.Freed && e.Remaining != nil {
			e.Low, e.Remaining, e.Progress = e.Remaining, nil, math.NaN()
		}
		return e, nil
	}
}

// othersTask returns the mean time that a task of other applications uses its container, if a model predicts it;
// else half a minute.
func othersTask(s *dag.Snapshot) time.Duration {
	sum, n := 0.0, 0
	for i := range s.Load {
		if need := s.Load[i].Need; need != nil && need.Map.LengthMS > 0 {
			sum, n = sum+need.Map.LengthMS, n+1
		}
	}
	if n == 0 {
		return 30 * time.Second
	}
	return taskcost.Exact(sum / float64(n))
}
