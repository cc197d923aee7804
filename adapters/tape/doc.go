// Package tape is ParaTimer's recording of a source: what a watcher knew, observation by observation.
//
// A tape is JSON lines, gzipped where the file's name ends in .gz. The first line is the header {"paratimer_tape":1}.
// Each later line is one observation: what changed since the line before, now and then the whole snapshot, or an
// observation that was missed. The format is described in docs/tape.md; Tee writes it, Reader is a source that reads
// it.
//
// Decoding gives back every snapshot bit for bit: NaN, unknown instants and nil slices included. Profiles are
// arguments of a run, not observations, and are not on the tape.
//
// # Stability
//
// Names and meanings stay within a major version, and a tape of an older version is read (docs/api.md).
package tape
