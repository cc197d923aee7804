package schedule

import (
	"cmp"
	"slices"

	"github.com/paratimer/paratimer/dag"
)

// A queue is a leaf queue of the scheduler in the replay. Memory without a limit is plenty.
type queue struct {
	name                              string
	shareMB, maxMB, userMB, mastersMB int
	userRatio                         float64
	fair, preempted                   bool
	heldMB                            int
	users                             []tenant
	roomMB                            int // what others here may be given at most, while it is looked who is next
	asks                              []asked
}

// asked is how many others' applications in a queue want a container of a size next. There are few sizes.
type asked struct{ mb, n int }

// ask notes that so many applications more want a container of a size next, or none where that is 0.
func (q *queue) ask(mb, more int) {
	if mb == 0 {
		return
	}
	i := slices.IndexFunc(q.asks, func(a asked) bool { return a.mb == mb })
	if i < 0 {
		i = len(q.asks)
		q.asks = append(q.asks, asked{mb: mb})
	}
	q.asks[i].n += more
}

// smallestMB is the smallest container that anybody else in the queue wants next.
func (q *queue) smallestMB() int {
	least := plenty
	for _, a := range q.asks {
		if a.n > 0 {
			least = min(least, a.mb)
		}
	}
	return least
}

// A tenant is a user of a queue.
type tenant struct {
	name      string
	heldMB    int
	wants     bool // since the last look, where the queue's user limit depends on it
	demanding int  // others' applications that want memory or will
}

// plenty is more memory than any cluster has.
const plenty = 1 << 50

// loadQueues makes the queues of our jobs and of the others' applications; queue 0 is ours.
func (y *containers) loadQueues() {
	y.allowMB = plenty
	y.queues = y.queues[:0]
	y.queueOf(y.s.Queue)
	y.tenantOf(0, y.s.User)
}

// queueOf returns the index of a queue, made if needed.
func (y *containers) queueOf(name string) int32 {
	if i := slices.IndexFunc(y.queues, func(q queue) bool { return q.name == name }); i >= 0 {
		return int32(i)
	}
	q := queue{name: name, maxMB: plenty, userMB: plenty, mastersMB: plenty, userRatio: 1}
	ours := len(y.queues) == 0
	limit := y.s.Plan.Cluster.QueueMB
	if st := y.s.QueueNamed(name); st != nil {
		q.shareMB, q.fair, q.preempted = st.ShareMB, st.Order == dag.OrderFair, st.Preempted
		q.maxMB, q.userMB, q.mastersMB = orMB(st.MaxMB, plenty), orMB(st.UserMB, plenty), orMB(st.MastersMB, plenty)
		if st.UserRatio > 0 && st.UserRatio < 1 {
			q.userRatio = st.UserRatio
		}
		if ours {
			q.userMB = min(q.userMB, orMB(limit, plenty))
		}
	} else if ours {
		q.maxMB = orMB(limit, plenty)
	}
	y.queues = append(y.queues, q)
	return int32(len(y.queues) - 1)
}

// tenantOf returns the index of a user in a queue, made if needed.
func (y *containers) tenantOf(q int32, name string) int32 {
	users := &y.queues[q].users
	if i := slices.IndexFunc(*users, func(u tenant) bool { return u.name == name }); i >= 0 {
		return int32(i)
	}
	*users = append(*users, tenant{name: name})
	return int32(len(*users) - 1)
}

// limitMB is what one user may hold in the queue now: the larger of an equal part for each user that wants some and of
// its least part of what the queue has, and never more than userMB (CapacityScheduler, UsersManager.computeUserLimit).
func (q *queue) limitMB() int {
	if q.userRatio >= 1 {
		return q.userMB
	}
	active := 0
	for i := range q.users {
		if q.users[i].wants {
			active++
		}
	}
	if active < 2 {
		return q.userMB
	}
	has := float64(max(q.shareMB, q.heldMB))
	return min(q.userMB, int(max(has/float64(active), has*q.userRatio)))
}

// roomIn is how much more an application of that queue and user may hold.
func (y *containers) roomIn(q, user int32) int {
	of := &y.queues[q]
	return min(y.pool.freeMB, of.maxMB-of.heldMB, of.limitMB()-of.users[user].heldMB)
}

// roomOf is how much more a job may be given in this step.
func (y *containers) roomOf(j int) int {
	return min(y.allowMB, y.roomIn(y.jobs[j].queue, y.jobs[j].user))
}

// mastersFit says that another AM stays within what the queue's AMs may hold. One may always run.
func (y *containers) mastersFit(queue int32, amMB int) bool {
	held := 0
	for _, i := range y.order {
		if o := &y.jobs[i]; o.queue == queue && (o.stage == starting || o.stage == active) {
			held += o.amMB
		}
	}
	for k := range y.loads {
		if l := &y.loads[k]; l.queue == queue {
			held += min(l.am, l.held)
		}
	}
	return held == 0 || held+amMB <= y.queues[queue].mastersMB
}

// occupy gives memory to a job of ours, vacate takes it back.
func (y *containers) occupy(j, mb int) { y.hold(y.jobs[j].queue, y.jobs[j].user, mb) }
func (y *containers) vacate(j, mb int) { y.hold(y.jobs[j].queue, y.jobs[j].user, -mb) }

func (y *containers) hold(q, user int32, mb int) {
	y.pool.freeMB -= mb
	if y.allowMB < plenty {
		y.allowMB -= mb
	}
	y.queues[q].heldMB += mb
	y.queues[q].users[user].heldMB += mb
}

// heldBy is what a job's application holds.
func (y *containers) heldBy(j int) int {
	job := &y.jobs[j]
	held := 0
	for k := range job.phase {
		held += job.phase[k].granted * job.phase[k].mb
	}
	if job.stage == starting || job.stage == active {
		held += job.amMB
	}
	return held
}

// poorer compares how much of its share two queues hold: the scheduler serves the one first that holds less.
func (y *containers) poorer(a, b int32) int {
	used := func(i int32) float64 { return float64(y.queues[i].heldMB) / float64(max(y.queues[i].shareMB, 1)) }
	return cmp.Compare(used(a), used(b))
}
