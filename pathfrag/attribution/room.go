package attribution

import (
	"cmp"
	"slices"
	"sort"

	"github.com/paratimer/paratimer/dag"
)

// A usage is the resources of our own containers over time: megabytes under YARN, cores on executors, else slots of
// a stage.
type usage struct {
	at   []dag.Instant
	held []int // from at on
}

// usageOf sums the resources of attempts and, under YARN, of masters.
func (r *run) usageOf(k dag.StageIndex, marks *Marks) *usage {
	if r.pool {
		k = 0
	}
	if u := r.usage[k]; u != nil {
		return u
	}
	type step struct {
		at dag.Instant
		by int
	}
	var steps []step
	add := func(from, to dag.Instant, n int) {
		if from.Known() && n > 0 {
			steps = append(steps, step{from, n})
			if to.Known() {
				steps = append(steps, step{max(to, from), -n})
			}
		}
	}
	for i := range r.all {
		a := &r.all[i]
		switch {
		case r.pool:
			add(a.Start, a.End, r.needs(a.job, a.kind))
		case a.kind == k:
			add(a.Start, a.End, 1)
		}
	}
	for j := range r.s.Jobs {
		if !r.pool {
			break
		}
		from := r.begun(int32(j), marks)
		add(from, r.s.Jobs[j].Finished.Add(r.s.Plan.Overheads.AMHold), r.s.Plan.Jobs[j].MasterMB)
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	u, sum := &usage{}, 0
	for i, s := range steps {
		if sum += s.by; i+1 == len(steps) || steps[i+1].at > s.at {
			u.at, u.held = append(u.at, s.at), append(u.held, sum)
		}
	}
	r.usage[k] = u
	return u
}

// begun returns the instant from which a job's master counts as having its container.
func (r *run) begun(j int32, marks *Marks) dag.Instant {
	if m := marks.of(r.s.Plan.Jobs[j].Node); m != nil && m.holding.Known() {
		return m.holding
	}
	return r.s.Jobs[j].Started
}

// needs returns the resources of a task of the job.
func (r *run) needs(job int32, k dag.StageIndex) int {
	if !r.pool {
		return 1
	}
	plan := &r.s.Plan.Jobs[job]
	if r.s.Plan.Cluster.Policy == dag.Executors {
		return max(plan.Stages[k].Cores, 1)
	}
	return plan.TaskMB(k)
}

// capacity returns the maximum for all our containers; 0 if unknown.
func (r *run) capacity(k dag.StageIndex) int {
	c := &r.s.Plan.Cluster
	switch c.Policy {
	case dag.FIFO:
		return [...]int{c.MapSlots, c.ReduceSlots}[k]
	case dag.Executors:
		return c.Cores
	}
	mb, nodes := c.MemoryMB, 0
	for i := range r.s.Nodes {
		nodes += r.s.Nodes[i].MemoryMB
	}
	if nodes > 0 && (mb == 0 || nodes < mb) {
		mb = nodes
	}
	if c.QueueMB > 0 {
		mb = min(mb, c.QueueMB)
	}
	return mb
}

// full returns the first instant from from on, and the end of the last interval before t, in which there was no
// room for a task, given our own containers and the observed ones of others. ok is false if there was room all the
// time.
func (r *run) full(job int32, k dag.StageIndex, from, t dag.Instant, marks *Marks) (since, last dag.Instant, ok bool) {
	room, need := r.capacity(k), r.needs(job, k)
	if room <= 0 || need <= 0 || from >= t {
		return 0, 0, false
	}
	u := r.usageOf(k, marks)
	i := sort.Search(len(u.at), func(i int) bool { return u.at[i] > from }) - 1
	for ; i < len(u.at); i++ {
		begin, end, held := from, t, 0
		if i >= 0 {
			begin, held = max(from, u.at[i]), u.held[i]
		}
		if i+1 < len(u.at) {
			end = min(t, u.at[i+1])
		}
		if begin >= t {
			break
		}
		if r.pool {
			held += marks.heldAt(begin)
		}
		if begin < end && held+need > room {
			if !ok {
				since, ok = begin, true
			}
			last = end
		}
	}
	return since, last, ok
}

// kept reports whether other containers can have delayed, until t, a task of the job that was ready at an instant:
// a container is released some time after its task ends.
func (r *run) kept(job int32, k dag.StageIndex, ready, t dag.Instant, marks *Marks) bool {
	if r.capacity(k) <= 0 || r.needs(job, k) <= 0 {
		return true // the capacity is unknown: there may have been no room
	}
	_, _, ok := r.full(job, k, max(ready, t-handover), t, marks)
	return ok
}

// lastBusy returns the end of the last time from from to t in which no core was free for a task, counting only
// cores that the application had used before. It returns t if executors were lost, since the remaining capacity is
// unknown then.
func (r *run) lastBusy(job int32, k dag.StageIndex, from, t dag.Instant) dag.Instant {
	for i := range r.s.Nodes {
		if n := &r.s.Nodes[i]; n.Lost && (!n.LostAt.Known() || n.LostAt <= t) {
			return t
		}
	}
	u, need, most, busy := r.usageOf(k, nil), r.needs(job, k), 0, from
	for i, at := range u.at {
		if at >= t {
			break
		}
		end := t
		if i+1 < len(u.at) {
			end = min(t, u.at[i+1])
		}
		if most = max(most, u.held[i]); u.held[i]+need > most && end > from {
			busy = end
		}
	}
	return busy
}
