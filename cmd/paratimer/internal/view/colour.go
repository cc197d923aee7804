package view

import (
	"io"

	"golang.org/x/term"
)

// The colours in use, as SGR parameters.
const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (t *Text) paint(colour, s string) string {
	if !t.colour {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// Colour reports whether to write colour to w: it is a terminal, TERM is not "dumb", NO_COLOR is empty or not set.
func Colour(w io.Writer, env func(string) string) bool {
	return env("NO_COLOR") == "" && env("TERM") != "dumb" && Terminal(w)
}

// Terminal reports whether w is a terminal.
func Terminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}
