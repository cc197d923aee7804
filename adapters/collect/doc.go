// Package collect receives what paratimer-tap reports about a job's key groups, and adds it to the snapshots of the
// job's source.
//
// A Store keeps the reports by job. Taps post them to its Handler (adapters/tap has the wire format). A Source
// wraps the source of a query and adds dag.Groups to its snapshots. All input is hostile: every batch is validated
// before it is used, and the bytes of a store are bounded, as counted here; see DefaultBytes. Profiles are kept by job
// id, so that runs are not mixed.
//
// If a store is full, it drops data in this order: jobs that are in no snapshot, the longest silent first; the
// smaller keys of each map, but not their bytes. Only then it refuses batches.
package collect
