package schedule

import (
	"github.com/paratimer/paratimer/dag"
)

// contended says that free memory has to be shared: others want some, or applications are not served in their order.
func (y *containers) contended() bool {
	return len(y.loads) > 0 || len(y.queues) > 1 || y.queues[0].fair || y.queues[0].userRatio < 1
}

// An applicant is an application that wants memory: a job of ours, or the load -1-who.
type applicant struct {
	who       int
	queue     int32
	unit      int
	submitted dag.Instant
	held      int
}

// share hands out free memory among all applications that want some, as CapacityScheduler does: the queue first that
// holds least of its share, in it the application that was submitted first, or that holds least.
func (y *containers) share(t dag.Instant) {
	for y.pool.freeMB > 0 {
		y.noteUsers()
		a, sole, ok := y.neediest()
		if !ok {
			return
		}
		if a.who < 0 {
			k := -1 - a.who
			l := &y.loads[k]
			mb := a.unit
			if sole {
				mb = max(mb, min(l.want(), y.roomFor(l))/a.unit*a.unit)
			}
			y.takeLoad(k, mb)
			continue
		}
		if !sole {
			y.allowMB = a.unit
		}
		was := y.pool.freeMB
		y.grantJob(a.who, t)
		y.allowMB = plenty
		if y.pool.freeMB == was {
			return // nothing that it wants can be given after all
		}
	}
}

// neediest chooses who is served next; sole says that it may have all that it wants before anybody else is asked.
func (y *containers) neediest() (best applicant, sole, ok bool) {
	sole = true
	consider := func(a applicant) {
		switch {
		case !ok:
			best, ok = a, true
			return
		case a.queue != best.queue:
			sole = false
			if y.poorer(a.queue, best.queue) < 0 {
				best = a
			}
			return
		case y.queues[a.queue].fair:
			sole = false
			if a.held < best.held {
				best = a
			}
			return
		case a.who >= 0 && best.who >= 0: // they come in the order in which they are served
		case a.submitted < best.submitted:
			best = a
		}
	}
	for k, unit := range y.candidates() {
		l := &y.loads[k]
		consider(applicant{-1 - k, l.queue, unit, l.submitted, l.held})
	}
	for _, j := range y.inOrder() {
		if unit := y.nextMB(j); unit > 0 {
			consider(applicant{j, y.jobs[j].queue, unit, y.jobs[j].submitted, y.heldBy(j)})
		}
	}
	return best, sole && y.queues[best.queue].userRatio >= 1, ok
}

// roomFor is how much more another application may hold. One of whose need nothing is known, but what it has asked for,
// takes no more than what is certain: its queue's guarantee, or in our queue what it is given before a job of ours.
func (y *containers) roomFor(l *load) int {
	room := y.roomIn(l.queue, l.user)
	switch {
	case l.needs:
	case l.queue > 0:
		room = min(room, y.queues[l.queue].shareMB-l.held)
	case !y.before(l.submitted):
		return 0
	}
	return room
}

// before says that a job of ours which holds or wants containers was submitted at t or later.
func (y *containers) before(t dag.Instant) bool {
	for _, j := range y.order {
		if s := y.jobs[j].stage; (s == waitingAM || s == active) && y.jobs[j].submitted >= t {
			return true
		}
	}
	return false
}

// unitMB is the size of a container of others where nobody tells it: as one of ours.
func (y *containers) unitMB() int {
	for _, j := range y.order {
		if len(y.jobs[j].phase) > 0 {
			return y.jobs[j].phase[0].mb
		}
	}
	return y.unit()
}

// nextMB is the size of the container that the job would be given next; 0 where it wants none or there is no room for
// it.
func (y *containers) nextMB(j int) int {
	job := &y.jobs[j]
	switch {
	case job.stage == waitingAM && y.roomOf(j) >= job.amMB && y.leavesRoom(j):
		return job.amMB
	case job.stage != active:
		return 0
	}
	return job.rules.nextMB(y, j)
}

// noteUsers notes who wants memory, in the queues in which that matters.
func (y *containers) noteUsers() {
	if !y.limited {
		return
	}
	for q := range y.queues {
		for u := range y.queues[q].users {
			y.queues[q].users[u].wants = false
		}
	}
	for _, a := range y.demanding {
		if l := &y.loads[a.load]; a.mb > 0 {
			y.queues[l.queue].users[l.user].wants = true
		}
	}
	for _, j := range y.order {
		if job := &y.jobs[j]; job.stage == waitingAM || job.stage == active && job.wantsTasks() {
			y.queues[job.queue].users[job.user].wants = true
		}
	}
}

func (job *containersJob) wantsTasks() bool {
	for k := range job.phase {
		if p := &job.phase[k]; !p.copies() && !p.closed && p.waiting+len(p.retry) > 0 || p.wantsCopying() {
			return true
		}
	}
	return false
}
