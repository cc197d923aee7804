package pathfrag

import (
	"cmp"
	"slices"
	"sort"

	"github.com/paratimer/paratimer/dag"
)

// handover is the longest time between the release of a container and its next task, in milliseconds: three
// heartbeats (facts/hadoop.md F). A task did not wait for a container that was released earlier.
const handover = 3000

// An attempt of a run.
type attempt struct {
	*dag.Attempt
	job  int32
	kind dag.StageIndex
	// overtaken means that another attempt of its task, which ran beside it, succeeded: this is no failure.
	overtaken bool
}

// A phaseOf is a stage of a job.
type phaseOf struct {
	job  int32
	kind dag.StageIndex
}

// A place is a resource that an attempt takes over: a slot, or the containers of a node.
type place struct {
	slot, node int32
	kind       dag.StageIndex
}

// A run is a snapshot's attempts in the orders that the walker needs.
type run struct {
	s       *dag.Snapshot
	pool    bool // containers or cores, not slots of a kind
	all     []attempt
	phase   [][][2]int32      // by job and stage: the range of its attempts in all
	ended   [][][]int32       // by job and stage: those with an end, by end
	last    []int32           // by job: the last attempt to end, -1 none
	first   []dag.Instant     // by job: the first start
	places  map[place][]int32 // by end
	byEnd   []int32
	medians map[phaseOf]middle
	usage   map[dag.StageIndex]*usage // of slots by stage; pools use index 0
}

func newRun(s *dag.Snapshot) *run {
	r := &run{
		s: s, pool: s.Plan.Cluster.Policy != dag.FIFO, places: make(map[place][]int32),
		medians: make(map[phaseOf]middle), usage: make(map[dag.StageIndex]*usage),
	}
	n := len(s.Jobs)
	r.phase, r.ended, r.last, r.first = make([][][2]int32, n), make([][][]int32, n), make([]int32, n),
		make([]dag.Instant, n)
	var byEnd []int32
	for j := range s.Jobs {
		r.last[j], r.first[j] = -1, dag.NoInstant
		r.phase[j], r.ended[j] = make([][2]int32, len(s.Jobs[j].Stages)), make([][]int32, len(s.Jobs[j].Stages))
		for k := range s.Jobs[j].NumStages() {
			from := int32(len(r.all))
			attempts := s.Jobs[j].Stages[k].Attempts
			for i := range attempts {
				a := &attempts[i]
				if a.State == dag.AttemptWaiting || a.End.Known() && a.Start.Known() && a.End < a.Start {
					continue
				}
				id := int32(len(r.all))
				r.all = append(r.all, attempt{a, int32(j), k, s.Jobs[j].Stages[k].Overtaken(a)})
				r.first[j] = r.first[j].Earlier(a.Start)
				if a.End.Known() && a.State != dag.AttemptRunning {
					byEnd = append(byEnd, id)
				}
			}
			r.phase[j][k] = [2]int32{from, int32(len(r.all))}
		}
	}
	slices.SortFunc(byEnd, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.all[a].End, r.all[b].End), cmp.Compare(a, b))
	})
	r.byEnd = byEnd
	for _, id := range byEnd {
		a := &r.all[id]
		r.ended[a.job][a.kind] = append(r.ended[a.job][a.kind], id)
		if l := r.last[a.job]; l < 0 || !r.more(l, id) {
			r.last[a.job] = id
		}
		if a.Start.Known() {
			p := r.placeOf(a)
			r.places[p] = append(r.places[p], id)
		}
	}
	return r
}

// more reports whether a job waited for attempt a, although b ended at the same time or later: a job that succeeded did
// not wait for attempts that failed or were killed.
func (r *run) more(a, b int32) bool {
	good := r.s.Jobs[r.all[a].job].State == dag.Succeeded
	return good && r.all[a].State == dag.AttemptSucceeded && r.all[b].State != dag.AttemptSucceeded
}

func (r *run) placeOf(a *attempt) place {
	switch {
	case r.pool:
		return place{-1, max(a.Node, -1), dag.Map}
	case a.Slot >= 0:
		return place{a.Slot, -1, a.kind}
	}
	return place{-1, max(a.Node, -1), a.kind}
}

// lastBy returns the last attempt of a list by end that had ended by t, -1 if none had.
func (r *run) lastBy(list []int32, t dag.Instant) int {
	return sort.Search(len(list), func(i int) bool { return r.all[list[i]].End > t }) - 1
}

// gaveUp returns the attempt that may have released the container of attempt id, which waited at t: the last one
// that ended in its place shortly before, preferably of its own job. It is -1 if there is none.
func (r *run) gaveUp(id int32, t dag.Instant, been map[int32]bool) int32 {
	x := &r.all[id]
	list, best := r.places[r.placeOf(x)], int32(-1)
	for i := r.lastBy(list, t); i >= 0; i-- {
		q := list[i]
		a := &r.all[q]
		if a.End < t-handover || best >= 0 && a.End < r.all[best].End {
			break
		}
		if q == id || been[q] || a.Task == x.Task && a.job == x.job && a.kind == x.kind {
			continue
		}
		if best < 0 || a.job == x.job && r.all[best].job != x.job {
			best = q
		}
	}
	return best
}

// before returns the attempt of the same task that attempt id repeats, -1 if it is the first.
func (r *run) before(id int32) int32 {
	x, best := &r.all[id], int32(-1)
	by := dag.FirstKnown(x.Start, x.End)
	for q := id - 1; q >= r.phase[x.job][x.kind][0] && r.all[q].Task == x.Task; q-- {
		a := &r.all[q]
		if a.Start.Known() && a.End.Known() && a.End <= by && a.State != dag.AttemptSucceeded &&
			(best < 0 || a.End > r.all[best].End) {
			best = q
		}
	}
	return best
}

// copies reports whether an attempt waits in its container for the output of other stages, as a reduce does.
func (r *run) copies(a *attempt) bool {
	job := &r.s.Plan.Jobs[a.job]
	return slices.ContainsFunc(job.Stages[a.kind].After, job.Rules.Early)
}

// lastInput returns the last attempt, in the input stages of x, that had ended by t; -1 if there is none or x reads
// no stage to its end.
func (r *run) lastInput(x *attempt, t dag.Instant) int32 {
	best := int32(-1)
	for _, e := range r.s.Plan.Jobs[x.job].Stages[x.kind].After {
		if e.Kind == dag.Pipelined {
			continue
		}
		list := r.ended[x.job][e.From]
		for i := r.lastBy(list, t); i >= 0; i-- {
			a := &r.all[list[i]]
			if e.Kind == dag.OneToOne && a.Task != x.Task || a.State != dag.AttemptSucceeded && !complete(a) {
				continue
			}
			if best < 0 || a.End > r.all[best].End {
				best = list[i]
			}
			break
		}
	}
	return best
}

// inputLeft reports whether an input stage of an attempt has unfinished tasks.
func (r *run) inputLeft(x *attempt) bool {
	return slices.ContainsFunc(r.s.Plan.Jobs[x.job].Stages[x.kind].After,
		func(e dag.Edge) bool { return r.left(x.job, e.From) })
}

// left reports whether a stage has tasks that have not succeeded.
func (r *run) left(job int32, k dag.StageIndex) bool {
	p := &r.s.Plan.Jobs[job].Stages[k]
	return !p.Known || r.s.Jobs[job].Stages[k].Succeeded() < p.Count()
}

// complete reports whether a killed attempt had done its work: only its output was lost.
func complete(a *attempt) bool {
	return a.State == dag.AttemptKilled && (a.Ratio == 1 || a.Total[0] > 0 && a.Done[0] >= a.Total[0])
}

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
	if r.pool {
		for j := range r.s.Jobs {
			held := r.s.Jobs[j].Finished.Add(r.s.Plan.Overheads.AMHold)
			add(r.begun(int32(j), marks), held, r.s.Plan.Jobs[j].MasterMB)
		}
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
