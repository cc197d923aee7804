//go:build unix && !linux

package flow

// Other systems cannot make a pipe narrow, so groups are measured in steps of a pipe's capacity.

func narrow(int) bool { return false }

func widen(int) {}

func unread(int) (int, bool) { return 0, false }
