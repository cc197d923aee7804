// Package collect takes in what paratimer-tap tells of a job's key groups, and adds it to the snapshots of the job's
// source.
//
// A Store keeps what came, by job; its Handler is where taps post it (adapters/tap has the wire format); a Source wraps
// the source of a query and gives its snapshots dag.Groups. All input is hostile: every batch is validated before it is
// looked at, and what a store holds is bounded in bytes as counted here, see Limits. Profiles are kept by job id, so
// that no run is mixed with another one.
//
// What is over the bounds goes in this order: jobs that no snapshot knows, the longest silent first; the smaller keys
// of each map, whose bytes stay known; the detail of what reduces have done, of groups of the same size first. Only
// then batches are refused.
package collect
