// Package tty is the live terminal: it shows frames full screen while a query is watched or a recording is played, and
// takes keys. What the screen looks like is package screen's; here is what moves: a store of frames, a playhead, a
// tick.
//
// Nothing here looks at a clock but Program's tick. The model is a pure function of messages.
package tty
