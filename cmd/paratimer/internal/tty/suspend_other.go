//go:build !unix

package tty

import tea "charm.land/bubbletea/v2"

// suspend does nothing: the system cannot stop a program in a terminal.
func suspend() tea.Msg { return nil }
