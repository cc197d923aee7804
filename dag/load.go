package dag

import (
	"slices"
	"time"
)

// A Load is another application: the resources that it uses, and those that it will use.
type Load struct {
	ID        string
	Name      string // for people, e.g. "skew.pig"; "" if unknown
	User      string // "" if unknown
	Before    bool   // it was submitted before every job of ours that still runs, so FIFO serves it first
	Submitted Instant
	Queue     string // in the format of Snapshot.Queue and QueueState.Name
	HeldMB    int
	PendingMB int     // requested and not yet allocated; 0 if unknown
	MasterMB  int     // the part of HeldMB that its AM uses; 0 if unknown
	ShareMB   int     // the guarantee of its queue, if that is not ours; 0 if unknown. See also QueueState
	Progress  float64 // the engine's own figure for the application, 0..1; NaN if unknown
	// Need is the application's remaining work, if its own AM answered a request; else nil. Like everything in a
	// snapshot, it never changes.
	Need  *Need
	Until Instant // its expected end; an observation leaves it NoInstant, a cost model may set it
	// Length is how long it is expected to use containers that are still to be allocated; 0 if unknown. A cost
	// model may set it.
	Length time.Duration
}

// Title names the application for people: its user and name, as far as they are known, else its id.
func (l *Load) Title() string {
	switch {
	case l.Name != "" && l.User != "":
		return l.User + "'s " + l.Name
	case l.Name != "":
		return l.Name
	case l.User != "":
		return l.User + "'s " + l.ID
	}
	return l.ID
}

// Other returns another application, nil if the snapshot has none with this id.
func (s *Snapshot) Other(id string) *Load {
	return find(s.Load, func(l *Load) bool { return l.ID == id })
}

// find returns a pointer to the first element of a list that matches, nil if there is none.
func find[T any](list []T, matches func(*T) bool) *T {
	for i := range list {
		if matches(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// A Need is the remaining work of a MapReduce application, as reported by its AM (GET jobs/J and jobs/J/tasks). It
// may be some seconds older than the snapshot.
type Need struct {
	At     Instant // time of the request to the AM
	Map    NeedPhase
	Reduce NeedPhase
}

// A NeedPhase is the tasks of one kind of another application.
type NeedPhase struct {
	Tasks   int // in total
	Done    int // those of Tasks that have succeeded
	Running int // those of Tasks that have a container
	// Progress is the mean progress of all its tasks, 0..1; a finished task counts 1. NaN if unknown.
	Progress float64
	// LengthMS is the mean time that a succeeded task had its container, in milliseconds; NaN if none has
	// succeeded.
	LengthMS float64
	TaskMB   int // memory of a task's container; 0 if unknown
}

// An Order is the order in which the scheduler serves the applications of a leaf queue.
type Order uint8

// The orders.
const (
	OrderFIFO Order = iota // the earliest submission first; also the default for queues of unknown order
	OrderFair              // the application with the least memory first
)

// A QueueState is the present state of a leaf queue. Under the fair scheduler, ShareMB is its steady fair
// share.
type QueueState struct {
	Name    string
	ShareMB int // its guaranteed memory; 0 if unknown
	MaxMB   int // maximum for all its applications together; 0: not limited, or unknown
	// UserMB is the maximum for one user, however few users need memory (user-limit-factor); 0: not limited, or
	// unknown.
	UserMB    int
	MastersMB int // maximum for all AMs together; 0: not limited, or unknown
	// UserRatio is the minimum share of the queue for one user, however many users need memory, 0..1
	// (minimum-user-limit-percent). At 1, and at 0 for unknown, users are served in the order of their
	// applications.
	UserRatio float64
	Order     Order
	// Preempted means that the scheduler may preempt memory above the queue's share for queues below their shares.
	Preempted bool
}

// QueueNamed returns the state of the queue, nil if it is not known.
func (s *Snapshot) QueueNamed(name string) *QueueState {
	return find(s.Queues, func(q *QueueState) bool { return q.Name == name })
}

// An OrderKey is a property by which a configurable scheduler compares jobs. It decides which job's task gets a
// free slot or container.
type OrderKey uint8

// The keys. If jobs are equal in all keys, the earlier submission goes first, then the earlier position in the
// plan.
const (
	BySubmit    OrderKey = iota // earlier submission
	ByPriority                  // higher Job.Priority
	BySize                      // fewer tasks
	ByRemaining                 // fewer tasks that have not ended
	ByRunning                   // fewer running tasks of the kind, so that jobs share slots equally; with slots only
)

var orderNames = [...]string{"submit", "priority", "size", "remaining", "running"}

func (k OrderKey) String() string { return NameOf(orderNames[:], int(k)) }

// MarshalText returns the name used in plan files and recordings.
func (k OrderKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name used in plan files and recordings.
func (k *OrderKey) UnmarshalText(b []byte) error {
	return ParseName(k, orderNames[:], b, "key of an order")
}

// MaxOrderKeys is the number of keys.
const MaxOrderKeys = len(orderNames)

// maxPriority bounds priorities, on both sides of 0.
const maxPriority = 1_000_000

func (f *faults) order() {
	c := &f.p.Cluster
	for i, k := range c.Order {
		at := Place{Job: -1, Field: "cluster.policy.order", Item: i}
		switch {
		case int(k) >= len(orderNames):
			f.shape(at, "there is no key %v (one of %v)", k, orderNames)
		case k == ByRunning && c.Policy == YARN:
			f.shape(at, "running tasks order jobs on map slots and reduce slots alone: use remaining, or slots: separate")
		}
		if slices.Contains(c.Order[:i], k) {
			f.shape(at, "%v is listed twice: list each key once", k)
		}
		if i >= len(orderNames) { // a duplicate key, which is reported
			return
		}
	}
}
