// Package simulate runs a plan in virtual time: it is a source of snapshots without a cluster.
//
// A simulated run is a schedule.Replay with true costs: the cost of each task times its own noise, on nodes with
// their own speed. Between two events the whole schedule is known, and snapshots are taken from it. An event that the
// scheduler does not plan, such as a lost node, ends a leg. It changes the state at that instant, and the replay
// continues from there. The same plan, options and seed give the same snapshots.
//
// Snapshots show only facts that a watcher could know: counters in whole tuples at the instant of a report, and only
// those sizes and costs that Options.Know permits.
//
// # Stability
//
// Young: names may change in a minor version. The changelog then lists the change (docs/api.md).
package simulate
