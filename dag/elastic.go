package dag

import "time"

// Elastic defines how an application gets more executors while tasks wait, as Spark's dynamic allocation does. The
// zero value gets none.
type Elastic struct {
	Max  int // maximum cores of all executors together
	Each int // cores of one executor
	// Tasks wait for Backlog before the first executor is requested. After each further Sustain, twice as many are
	// requested.
	Backlog, Sustain time.Duration
	Start            time.Duration // an executor's request to its first task
}

// A Capacity is the cores of a requested executor that has not started yet.
type Capacity struct {
	At    Instant // when it is expected
	Cores int
}

// Copies define when a slow task is run a second time, as Spark's speculation does. The zero value copies none.
type Copies struct {
	Ratio float64 // share of a stage's tasks that must have succeeded before any is copied
	Times float64 // a task is copied after this many times their median time
}
