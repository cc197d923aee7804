// Package recording records what a watcher observes, and plays it again.
//
// A recording has JSON lines, compressed by zstd. Its first line is a header. If it is of observations, each later line
// is a snapshot, or what changed since the snapshot of the line before, or a missed observation: Tee writes it, and
// Reader is a source that reads it. If it is of answers, each later line is an answer of a service to one request: a
// Writer writes it, and a Player serves the answers again to the sources of live clusters. docs/recording.md describes
// the format.
//
// Snapshots come back bit by bit, including NaN, unknown instants and nil slices. Profiles are arguments of a run, not
// observations, and are not recorded. A recording knows no field of package dag: see package delta.
//
// # Stability
//
// Names and meanings stay within a major version, and recordings of older versions can be read (docs/api.md).
package recording
