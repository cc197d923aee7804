// Package jhist reads MapReduce's job history files (.jhist), as text and as binary, and those that the JobTracker of
// Hadoop 0.18 to 1.x wrote.
//
// A file's first line says Avro-Json or Avro-Binary, the second is the schema of its events, then they follow: as JSON,
// one a line with empty lines between, or as bare Avro records without a container (docs/facts/hadoop.md D).
// A JobTracker's file has neither (see jobTracker). All are read into one model of events. Files of different
// versions differ in what their events hold; what one does not hold is unknown.
package jhist

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/past"
)

// The limits bound what a file can make a reader hold.
const (
	maxEvent  = 16 << 20 // bytes of an event, and of the schema
	maxEvents = 64 << 20
	maxJobs   = 100_000
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

// An events is a stream of events. next returns io.EOF after the last one, io.ErrUnexpectedEOF where the file breaks
// off in the middle of one, and errBad for one that cannot be used while later ones can.
type events interface {
	next(*event) error
}

var errBad = errors.New("not an event")

// Read reads a whole file. A file that breaks off is read up to its last whole event, and its last job says so. Only a
// JobTracker's files can follow each other and hold several jobs.
func Read(r io.Reader) ([]*past.Job, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	from, err := open(in)
	if err != nil {
		return nil, &Error{0, err}
	}
	_, slots := from.(*jobTracker)
	var jobs []*past.Job
	h := newHistory(slots)
	var run input.Streak
	for n := 1; ; n++ {
		var e event
		err := from.next(&e)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			j, err := h.done(!errors.Is(err, io.EOF))
			return append(jobs, j), err
		case errors.Is(err, errBad):
			h.bad++
			if err := run.Bad(); err != nil {
				return nil, &Error{n, err}
			}
		case err != nil:
			return nil, &Error{n, err}
		default:
			run.Good()
			if slots && h.over(&e) {
				j, err := h.done(false)
				if err != nil {
					return nil, err
				}
				jobs, h = append(jobs, j), newHistory(slots)
			}
			h.take(&e)
		}
		if n >= maxEvents || len(jobs) >= maxJobs {
			return nil, &Error{n, errors.New("too many events or jobs: split the file")}
		}
	}
}

// open returns the events of a file.
func open(in *bufio.Reader) (events, error) {
	head, _ := in.Peek(64) // a file that is shorter than that gives what it has
	if ofTracker(head) {
		return &jobTracker{in: in}, nil
	}
	format, err := line(in, 64)
	if err != nil || format != "Avro-Json" && format != "Avro-Binary" {
		return nil, errors.New(
			"not a history file: its first line is neither Avro-Json nor Avro-Binary, nor does it begin as a JobTracker's (Meta VERSION)")
	}
	schema, err := line(in, maxEvent)
	if err != nil {
		return nil, fmt.Errorf("the schema in line 2 is missing: %w", err)
	}
	if format == "Avro-Binary" {
		return newBinary(in, schema)
	}
	return &text{in: in}, nil
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
