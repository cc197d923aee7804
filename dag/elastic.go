package dag

import "time"

// Elastic is how an application gets more executors while tasks wait, as Spark's dynamic allocation does. The zero
// value gets none.
type Elastic struct {
	Max  int // cores of all executors together, at most
	Each int // cores of one executor
	// Tasks wait for Backlog before the first executor is asked for, and then, each time, for Sustain before twice as
	// many are.
	Backlog, Sustain time.Duration
	Start            time.Duration // an executor's request to its first task
}

// A Capacity is the cores of an executor that has been asked for and is not there yet.
type Capacity struct {
	At    Instant // when it is expected
	Cores int
}

// Copies are when a task is run a second time because it is slow, as Spark's speculation does. The zero value copies
// none.
type Copies struct {
	Ratio float64 // of a stage's tasks, how many have succeeded before any is copied
	Times float64 // how many times as long as their median a task runs before it is copied
}
