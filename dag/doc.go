// Package dag is the vocabulary of ParaTimer: the work and the cluster (Plan), the progress at an instant
// (Snapshot), and the observed snapshots (Run).
//
// The package does no I/O and reads no clock. It imports nothing of ours: everything else imports it. Units are
// fixed: an Instant is in milliseconds of the cluster's clock, a length of time is a time.Duration, sizes are
// tuples (float64), ratios lie in 0..1. Every exported field states its unit. Unknown is a value of its own:
// NoInstant for instants, NaN for floats. It is never 0 and never -1.
//
// An adapter that observes an engine makes a Plan as far as it is known and a [Snapshot] each time, and never
// changes them afterwards. Validate checks a plan. Estimators read a [Run], which [Run.Append] builds. Terms are
// those of the paper, with stages for its phases: a job has stages such as map and reduce ([Stage]), a stage has
// tasks, a task has attempts, an attempt processes pipelines of tuples.
//
// # Stability
//
// Names and meanings stay within a major version. Fields and constants may be added: use keyed literals (docs/api.md).
package dag
