// Package tty is the live terminal: it shows frames full screen while a query is watched or a recording is played,
// and handles keys. Package screen draws a frame; this package has a store of frames, a playhead and a tick.
//
// Only Program's tick reads a clock. The model is a pure function of messages.
package tty
