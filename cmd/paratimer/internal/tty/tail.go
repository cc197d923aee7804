package tty

import (
	"bytes"
	"strings"
)

// A Tail keeps the first line of what is written and the newest others: what a reader finds below when the screen is
// gone.
type Tail struct {
	most    int
	first   string
	lines   []string
	partial []byte
	dropped bool
}

// NewTail keeps so many lines beside the first.
func NewTail(most int) *Tail { return &Tail{most: most} }

// Write takes text in. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.partial = append(t.partial, p...)
	for {
		line, rest, whole := bytes.Cut(t.partial, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		t.add(string(line) + "\n")
		t.partial = rest
	}
}

func (t *Tail) add(line string) {
	if t.first == "" {
		t.first = line
		return
	}
	if t.lines = append(t.lines, line); len(t.lines) > t.most {
		t.lines, t.dropped = append(t.lines[:0], t.lines[1:]...), true
	}
}

// First is the first line, with its end; empty before it has come.
func (t *Tail) First() string { return t.first }

// Newest are the newest lines but the first.
func (t *Tail) Newest() string { return strings.Join(t.lines, "") }

// String is all that is kept; three dots stand for what is not.
func (t *Tail) String() string {
	gap := ""
	if t.dropped {
		gap = "     ...\n"
	}
	return t.first + gap + t.Newest()
}
