// Package simulate plays a plan in virtual time: it is a source of snapshots without a cluster.
//
// A simulated run is a schedule.Replay with true costs: each task's cost times its own noise, on nodes of their own
// speed. Between two events the whole schedule is known, and a snapshot is cut out of it. An event
// that the scheduler does not know of (a node is lost) ends a leg: the state at that instant is changed and the
// replay goes on from there. The same plan, options and seed give the same snapshots.
//
// Snapshots show what a watcher could know then: counters in whole tuples at the instant of a report, and of
// sizes and costs only what Options.Know grants.
//
// # Stability
//
// Young: names may change in a minor version, which the changelog then says (docs/api.md).
package simulate
