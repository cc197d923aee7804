// Package dag is the vocabulary of ParaTimer: what is to run (Plan), how far it is (Snapshot), and how it came there
// (Run).
//
// The package does no I/O and reads no clock. It imports nothing of ours: everything else imports it.
// Units are settled at the door: an Instant is in milliseconds of the cluster's clock, a length of time is a
// time.Duration, sizes are tuples (float64), ratios lie in 0..1. Every exported field says its unit.
// Unknown is a value of its own: NoInstant for instants, NaN for floats. It is never 0 and never -1.
//
// Whoever observes an engine makes a Plan as far as it is known and a [Snapshot] each time, and hands both on unchanged
// from then on: Validate says what of a plan cannot be. Estimators ask for a [Run], which [Run.Append] builds. Terms
// are those of the paper: a job has a map and a reduce [Phase], a phase has tasks, a task has attempts, an attempt
// processes pipelines of tuples.
//
// # Stability
//
// Names and meanings stay within a major version. Fields and constants may be added: use keyed literals (docs/api.md).
package dag
