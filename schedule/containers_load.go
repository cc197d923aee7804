package schedule

import (
	"cmp"
	"slices"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A load is another application in the replay. Of one whose need is known, tasks end and others take their place until
// none is left. Any other gives what it holds back evenly up to its expected end, and takes what it has asked for.
type load struct {
	queue, user int32
	submitted   dag.Instant
	held, am    int
	needs       bool
	master      int  // memory of the AM that it waits for
	launching   bool // its AM has not asked for tasks yet
	phase       [2]needed
	parked      int      // memory of reduces that wait for maps
	open        [2]int32 // the newest of the replay's ebbs that is a phase's, from 1; 0: none
	pending     int      // asked for, where the need is not known
	length      time.Duration
}

// loadOthers puts the other applications into the pool, in the order of their submission.
func (y *containers) loadOthers() {
	others, bySubmission := y.s.Load, func(a, b dag.Load) int { return cmp.Compare(a.Submitted, b.Submitted) }
	if !slices.IsSortedFunc(others, bySubmission) {
		others = slices.Clone(others)
		slices.SortStableFunc(others, bySubmission)
	}
	y.loads = slices.Grow(y.loads[:0], len(others))[:len(others)]
	clear(y.loads)
	for k := range others {
		o, l := &others[k], &y.loads[k]
		l.queue = y.queueOf(o.Queue)
		user := o.User
		if user == "" {
			user = "user of " + o.ID
		}
		l.user = y.tenantOf(l.queue, user)
		if q := &y.queues[l.queue]; q.shareMB == 0 && l.queue > 0 {
			q.shareMB = o.ShareMB
		}
		l.submitted, l.am = o.Submitted, min(o.MasterMB, o.HeldMB)
		y.lend(k, max(o.HeldMB, 0))
		if l.needs = usable(o.Need); l.needs {
			if o.HeldMB <= 0 {
				l.master = max(o.PendingMB, 0)
			}
			y.loadNeed(k, o.Need)
			continue
		}
		l.pending, l.length = max(o.PendingMB, 0), o.Length
		if o.Until.Known() {
			y.giveBack(k, o.Until)
		}
	}
	y.shareRest()
}

// shareRest gives our own queue what the others' queues are not guaranteed, where nobody says what it has.
func (y *containers) shareRest() {
	rest := y.s.Plan.Cluster.MemoryMB
	for i := 1; i < len(y.queues); i++ {
		rest -= y.queues[i].shareMB
	}
	if q := &y.queues[0]; q.shareMB == 0 {
		q.shareMB = max(rest, 1)
	}
}

// lend gives another application memory, or takes it back.
func (y *containers) lend(k, mb int) {
	l := &y.loads[k]
	l.held += mb
	y.hold(l.queue, l.user, mb)
}

// giveBackSteps is in how many parts an application gives its memory back.
const giveBackSteps = 8

func (y *containers) giveBack(k int, until dag.Instant) {
	step := max((until-y.now)/giveBackSteps, 1)
	for i := range dag.Instant(giveBackSteps) {
		y.at(y.now+step*(i+1), rankEnd, func(dag.Instant) {
			y.lend(k, -y.loads[k].held/int(giveBackSteps-i))
		})
	}
}

// want is the memory that the application would take now.
func (l *load) want() int {
	switch {
	case !l.needs:
		return l.pending
	case l.launching:
		return 0
	case l.master > 0:
		return l.master
	}
	if maps := l.phase[dag.Map].wait; maps > 0 {
		return maps
	}
	return l.phase[dag.Reduce].wait
}

// unit is the size of the container that it would take next.
func (l *load) unit(of int) int {
	switch {
	case !l.needs:
		return min(of, l.pending)
	case l.master > 0:
		return l.master
	case l.phase[dag.Map].wait > 0:
		return l.phase[dag.Map].taskMB
	}
	return l.phase[dag.Reduce].taskMB
}

// takeLoad gives another application memory of what it wants.
func (y *containers) takeLoad(k, mb int) {
	l := &y.loads[k]
	defer y.served(k)
	y.lend(k, mb)
	switch {
	case l.master > 0:
		l.am, l.master, l.launching = mb, 0, true
		y.at(y.now.Add(y.s.Plan.Overheads.Launch), rankSubmit, func(dag.Instant) {
			l.launching = false
			y.served(k)
		})
		return
	case l.needs:
		y.startNeeded(k, mb)
		return
	}
	l.pending -= mb
	if l.length > 0 {
		y.giveBack(k, y.now.Add(l.length))
		l.length = 0
	}
}

// freeLoads gives all memory of other applications back. It is the last resort of a replay in which nothing else can
// happen: they will end some day, and the estimate is a floor.
func (y *containers) freeLoads() bool {
	gave := false
	for k := range y.loads {
		l := &y.loads[k]
		gave = gave || l.held > 0
		y.lend(k, -l.held)
		l.pending, l.master, l.parked, l.phase = 0, 0, 0, [2]needed{}
	}
	y.demanding = y.demanding[:0]
	for i := range y.queues {
		y.queues[i].asks = y.queues[i].asks[:0]
	}
	y.freed = y.freed || gave
	return gave
}
