package tty

import (
	"bytes"
	"strings"
)

// mostTail bounds what a Tail keeps.
const mostTail = 10

// A Tail keeps the first line of what is written and the newest mostTail others: what a reader finds below when the screen is
// gone. The zero Tail is empty.
type Tail struct {
	first   string
	lines   []string
	partial []byte
	left    int // how many lines were dropped
}

// Write takes text in. It fails never.
func (t *Tail) Write(p []byte) (int, error) {
	t.partial = append(t.partial, p...)
	for {
		i := bytes.IndexByte(t.partial, '\n')
		if i < 0 {
			return len(p), nil
		}
		t.line(string(t.partial[:i+1]))
		t.partial = t.partial[i+1:]
	}
}

func (t *Tail) line(line string) {
	if t.first == "" {
		t.first = line
		return
	}
	if len(t.lines) == mostTail {
		t.lines = append(t.lines[:0], t.lines[1:]...)
		t.left++
	}
	t.lines = append(t.lines, line)
}

// String is what is kept; three dots stand for the rest.
func (t *Tail) String() string {
	gap := ""
	if t.left > 0 {
		gap = "     ...\n"
	}
	return t.first + gap + strings.Join(t.lines, "") + string(t.partial)
}
