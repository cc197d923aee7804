package mutate

import (
	"io"
	"strings"
)

// Endless returns a file of a head and one line repeated without end, as a small zipped file may unpack to.
func Endless(head, line string) io.Reader { return &endless{head, strings.Repeat(line, 100)} }

type endless struct{ rest, lines string }

func (e *endless) Read(b []byte) (int, error) {
	if e.rest == "" {
		e.rest = e.lines
	}
	n := copy(b, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}
