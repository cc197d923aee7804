// Package jhist reads MapReduce's job history files (.jhist), as text and as binary.
//
// A file's first line says Avro-Json or Avro-Binary, the second is the schema of its events, then they follow: as JSON,
// one a line with empty lines between, or as bare Avro records without a container (EventWriter, facts/hadoop.md D).
// Both are read into one model of events. Files of Hadoop 0.23, 2.x and 3.x differ in what their events hold; what one
// does not hold is unknown.
package jhist

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/badrun"
	"github.com/paratimer/paratimer/adapters/past"
)

// The limits bound what a file can make a reader hold.
const (
	maxEvent  = 16 << 20 // bytes of an event, and of the schema
	maxEvents = 64 << 20
)

// An Error says where in a file something is wrong.
type Error struct {
	Event int // from 1; 0: in the two lines before the first
	Err   error
}

func (e *Error) Error() string {
	if e.Event == 0 {
		return fmt.Sprintf("jhist: %v", e.Err)
	}
	return fmt.Sprintf("jhist: event %d: %v", e.Event, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Is says whether a file that begins with head is a history file.
func Is(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimRight(line, "\r ")
	return bytes.Equal(line, []byte("Avro-Json")) || bytes.Equal(line, []byte("Avro-Binary"))
}

// An events is a stream of events. next returns io.EOF after the last one, io.ErrUnexpectedEOF where the file breaks off in
// the middle of one, and errBad for one that cannot be used while later ones can.
type events interface {
	next(*event) error
}

var errBad = errors.New("not an event")

// Read reads a whole file. A file that breaks off is read up to its last whole event, and the job says so.
func Read(r io.Reader) (*past.Job, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	format, err := line(in, 64)
	if err != nil || !Is([]byte(format)) {
		return nil, &Error{0, errors.New("not a history file: its first line is neither Avro-Json nor Avro-Binary")}
	}
	schema, err := line(in, maxEvent)
	if err != nil {
		return nil, &Error{0, fmt.Errorf("the schema in line 2 is missing: %w", err)}
	}
	var from events = &text{in: in}
	if strings.HasPrefix(format, "Avro-Binary") {
		if from, err = newBinary(in, schema); err != nil {
			return nil, &Error{0, err}
		}
	}
	h := history{seen: map[string]int{}}
	var run badrun.Run
	for n := 1; ; n++ {
		var e event
		switch err := from.next(&e); {
		case errors.Is(err, io.EOF):
			return h.done(false)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return h.done(true)
		case errors.Is(err, errBad):
			h.bad++
			if err := run.Bad(); err != nil {
				return nil, &Error{n, err}
			}
		case err != nil:
			return nil, &Error{n, err}
		default:
			run.Good()
			h.take(&e)
		}
		if n >= maxEvents {
			return nil, &Error{n, errors.New("too many events")}
		}
	}
}

// line reads a line of at most limit bytes, without its end.
func line(in *bufio.Reader, limit int) (string, error) {
	var b []byte
	for {
		part, err := in.ReadSlice('\n')
		b = append(b, part...)
		switch {
		case len(b) > limit:
			return "", fmt.Errorf("a line of more than %d bytes", limit)
		case err == nil:
			return strings.TrimRight(string(b), "\r\n "), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			if errors.Is(err, io.EOF) && len(b) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return string(b), err
		}
	}
}
