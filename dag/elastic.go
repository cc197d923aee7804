package dag

import "time"

// Elastic is how an application gets more executors while tasks wait, as Spark's dynamic allocation does. The zero
// value gets none.
type Elastic struct {
	Max  int // cores of all executors together, at most
	Each int // cores of one executor
	// Tasks wait for Backlog before the first executor is asked for, and for Sustain each time before twice as many are.
	Backlog, Sustain time.Duration
	Start            time.Duration // an executor's request to its first task
}

// A Capacity is the cores of an executor that has been asked for and is not there yet.
type Capacity struct {
	At    Instant // when it is expected
	Cores int
}
