//go:build unix && !linux

package flow

// Elsewhere a pipe cannot be narrowed, and a group's time is known to what a pipe holds.

func narrow(int) bool { return false }

func widen(int) {}

func unread(int) (int, bool) { return 0, false }
