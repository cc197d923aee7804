// Package tape is ParaTimer's recording of a source: the observations of a watcher, one by one.
//
// A tape has JSON lines, gzipped if the file's name ends in .gz. The first line is the header {"paratimer_tape":1}.
// Each later line is one observation: the changes since the previous line, or from time to time the whole snapshot,
// or a missed observation. docs/tape.md describes the format; Tee writes it, Reader is a source that reads it.
//
// Decoding returns every snapshot bit by bit, including NaN, unknown instants and nil slices. Profiles are arguments
// of a run, not observations, and are not on the tape.
//
// # Stability
//
// Names and meanings stay within a major version, and tapes of older versions can be read (docs/api.md).
package tape
