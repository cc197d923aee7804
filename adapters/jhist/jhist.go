// Package jhist reads MapReduce's job history files (.jhist), in text and binary form, and those of the JobTracker of
// Hadoop 0.18 to 1.x.
//
// The first line of a file is Avro-Json or Avro-Binary, the second is the schema of its events. The events follow: as
// JSON, one per line with empty lines between, or as bare Avro records without a container (docs/facts/hadoop.md D).
// A JobTracker's file has neither line (see jobTracker). All are converted to one model of events. Files of different
// versions have different fields; a missing field is unknown.
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

// Bounds of the memory that a file can make a reader use.
const (
	maxEvent  = 16 << 20 // bytes of an event, and of the schema
	maxEvents = 64 << 20
	maxJobs   = 100_000
)

// An Error is an error with its position in a file.
type Error struct {
	Event int // from 1; 0: the two lines before the first event
	Err   error
}

func (e *Error) Error() string {
	if e.Event == 0 {
		return fmt.Sprintf("jhist: %v", e.Err)
	}
	return fmt.Sprintf("jhist: event %d: %v", e.Event, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// An events is a stream of events. next returns io.EOF after the last one, io.ErrUnexpectedEOF if the file is cut off
// within an event, and errBad for an unusable event that later ones may follow.
type events interface {
	next(*event) error
}

var errBad = errors.New("not an event")

// Read reads a whole file. If the file is cut off, Read returns its complete events, and the last job has Torn set.
// Only JobTracker files can have several jobs.
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
	head, _ := in.Peek(64) // a shorter file returns what it has
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
