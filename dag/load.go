package dag

import (
	"fmt"
	"time"
)

// A Load is another application: what it holds of the cluster, and what it is to take of it.
type Load struct {
	ID        string
	Name      string // for people, e.g. "skew.pig"; "" where unknown
	User      string // "" where unknown
	Before    bool   // it was submitted before every job of ours that still runs, so FIFO serves it first
	Submitted Instant
	Queue     string // as Snapshot.Queue and QueueState.Name have theirs
	HeldMB    int
	PendingMB int     // asked for and not yet given; 0 where unknown
	MasterMB  int     // of HeldMB, what its AM holds; 0 where unknown
	ShareMB   int     // what its queue is guaranteed, where that is not ours; 0 where unknown. QueueState tells more
	Progress  float64 // the engine's own figure for the application, 0..1; NaN where unknown
	// Need is what it has left to do, where its own AM could be asked; else nil. Like all of a snapshot it is never
	// changed.
	Need  *Need
	Until Instant // when it is expected to end; an observation leaves it NoInstant, a cost model may set it
	// Length is how long it is expected to hold what it is still to be given; 0 where unknown. A cost model may set it.
	Length time.Duration
}

// Title is what the application is called for people: whose it is and its name, as far as they are known, else its id.
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

// A Need is what a MapReduce application has left to do, as its AM tells it (GET jobs/J and jobs/J/tasks). It may be
// some seconds older than the snapshot.
type Need struct {
	At     Instant // when the AM was asked
	Map    NeedPhase
	Reduce NeedPhase
}

// A NeedPhase is the tasks of one kind of another application.
type NeedPhase struct {
	Tasks   int // in all
	Done    int // of Tasks, those that have succeeded
	Running int // of Tasks, those that hold a container
	// Progress is the mean of all its tasks' own figures, 0..1, a task that is done counting 1; NaN where unknown.
	Progress float64
	// LengthMS is how long a task that has succeeded held its container, in the mean; NaN where none has.
	LengthMS float64
	TaskMB   int // of a task's container; 0 where unknown
}

// An Order says how the scheduler serves the applications of a leaf queue.
type Order uint8

// The orders.
const (
	OrderFIFO Order = iota // the one that was submitted first is served first; what a queue does of which nobody says
	OrderFair              // the one that holds least is served first
)

// A QueueState is a leaf queue of the scheduler as it is now. Under the fair scheduler ShareMB is its steady fair
// share.
type QueueState struct {
	Name    string
	ShareMB int // what it is guaranteed; 0 where unknown
	MaxMB   int // what all its applications together may hold at most; 0: not limited, or unknown
	// what one user may hold at most, however few want any (user-limit-factor); 0: not limited, or unknown
	UserMB    int
	MastersMB int // what all AMs together may hold at most; 0: not limited, or unknown
	// UserRatio is what one user may hold at least of what the queue has, however many want some, 0..1
	// (minimum-user-limit-percent). At 1, and at 0 for unknown, users are served in the order of their applications.
	UserRatio float64
	Order     Order
	// Preempted says that what the queue holds above its share may be taken back for queues that hold less than theirs.
	Preempted bool
}

// QueueNamed returns the state of the queue, nil where it is not known.
func (s *Snapshot) QueueNamed(name string) *QueueState {
	for i := range s.Queues {
		if s.Queues[i].Name == name {
			return &s.Queues[i]
		}
	}
	return nil
}

// An OrderKey is something that a scheduler given as data compares jobs by, to decide whose task takes a free slot or
// container.
type OrderKey uint8

// The keys. Where all keys of an order are equal, the job that was submitted first goes first, then the one that stands
// first in the plan.
const (
	BySubmit    OrderKey = iota // submitted earlier
	ByPriority                  // of higher Job.Priority
	BySize                      // of fewer tasks
	ByRemaining                 // of fewer tasks that have not ended
	ByRunning                   // of fewer tasks of the kind that run, so that jobs share slots alike; with slots alone
)

var orderNames = [...]string{"submit", "priority", "size", "remaining", "running"}

func (k OrderKey) String() string { return name(orderNames[:], int(k)) }

// MarshalText gives the name used in plan files and tapes.
func (k OrderKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name used in plan files and tapes.
func (k *OrderKey) UnmarshalText(b []byte) error {
	return parse(k, orderNames[:], b, "key of an order")
}

// MaxOrderKeys is how many keys there are.
const MaxOrderKeys = len(orderNames)

// MaxPriority bounds priorities, on both sides of 0.
const MaxPriority = 1_000_000

func (f *faults) order() {
	c := &f.p.Cluster
	for i, k := range c.Order {
		at := Place{Job: -1, Field: "cluster.policy.order", Item: i}
		switch {
		case int(k) >= len(orderNames):
			f.add(&ShapeError{Place: at, Why: fmt.Sprintf("there is no key %v (one of %v)", k, orderNames)})
		case k == ByRunning && c.Policy == YARN:
			f.add(&ShapeError{
				Place: at,
				Why:   "running tasks order jobs on map slots and reduce slots alone: use remaining, or slots: separate",
			})
		}
		for _, before := range c.Order[:i] {
			if before == k {
				f.add(&ShapeError{Place: at, Why: fmt.Sprintf("%v stands there twice: a key decides once", k)})
				break
			}
		}
		if i >= len(orderNames) { // some stands there twice, and is said
			return
		}
	}
}
