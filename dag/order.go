package dag

import "fmt"

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
