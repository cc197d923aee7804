// Package dag is the vocabulary of ParaTimer: what is to run (Plan), how far it is (Snapshot), and how it came there (Run).
//
// The package does no I/O and reads no clock. It imports nothing of ours: everything else imports it.
// Units are settled at the door: an Instant is in milliseconds of the cluster's clock, a length of time is a
// time.Duration, sizes are tuples (float64), ratios lie in 0..1. Every exported field says its unit.
// Unknown is a value of its own: NoInstant for instants, NaN for floats. It is never 0 and never -1.
package dag
