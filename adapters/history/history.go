// Package history reads the histories of finished MapReduce jobs and replays them, as if a live watcher had observed
// the jobs.
//
// It reads the history files of MapReduce's masters (.jhist) in text and binary form, and Rumen traces. All formats
// become events (see event), which build a Job (see transitions). The jobs of one workflow make a Source. At each
// instant, its snapshots show only what a live watcher could have known. Warnings list the facts that a history does
// not contain.
//
// Files of different versions have different fields; a missing field is unknown.
package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/recording"
)

// Bounds of the memory that a file can make a reader use.
const (
	maxEvent  = 16 << 20 // bytes of an event, and of the schema
	maxEvents = 64 << 20
	maxJobs   = 100_000
)

var (
	// ErrOther means that a file is not a history that this package can read.
	ErrOther = errors.New("neither a job history file nor a Rumen trace, nor a history file of Tez or an event log of Spark")
	// errEventLog means that a file is an event log of Spark.
	errEventLog = fmt.Errorf("%w: it is an event log of Spark", ErrOther)
	errBad      = errors.New("not an event")
)

// Read reads the jobs of one history file or trace, which may be compressed. If the file is cut off, Read returns what
// is complete.
func Read(r io.Reader) ([]*Job, error) {
	kind, all, err := recording.Sniff(r)
	switch {
	case err != nil:
		return nil, err
	case kind == recording.History:
		j, err := readEvents(all)
		if err != nil {
			return nil, err
		}
		return []*Job{j}, nil
	case kind == recording.Trace:
		return readTrace(all)
	case kind == recording.EventLog:
		return nil, errEventLog
	}
	return nil, ErrOther
}

// An events returns the next event as decoded JSON, nil for a blank line. It returns io.EOF after the last event,
// io.ErrUnexpectedEOF if the file is cut off within an event, and errBad for a damaged event that others may follow.
type events func() (any, error)

// readEvents reads a history file. If it is cut off, the job has Torn set.
func readEvents(r io.Reader) (*Job, error) {
	next, err := open(bufio.NewReaderSize(r, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("jhist: %w", err)
	}
	b := builder{attempts: map[string]*Attempt{}}
	var run input.Streak
	for n := 1; n <= maxEvents; n++ {
		v, err := next()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return b.finish(!errors.Is(err, io.EOF))
		case errors.Is(err, errBad), err == nil && v != nil && !b.takeLine(v):
			b.bad++
			err = run.Bad()
		case err == nil && v == nil:
			err = run.Bad()
		case err == nil:
			run.Good()
		}
		if err != nil {
			return nil, fmt.Errorf("jhist: event %d: %w", n, err)
		}
	}
	return nil, errors.New("jhist: too many events")
}

// open returns the events of a file. The first line is Avro-Json or Avro-Binary, the second is the schema of its
// events. The events follow: as JSON, one per line with empty lines between, or as bare Avro records without a
// container (docs/facts/hadoop.md D).
func open(in *bufio.Reader) (events, error) {
	line, err := input.Line(in, maxEvent)
	format := string(bytes.TrimSpace(line))
	if err != nil || format != "Avro-Json" && format != "Avro-Binary" {
		return nil, errors.New("its first line is neither Avro-Json nor Avro-Binary. ParaTimer does not read the history of " +
			"a JobTracker (Hadoop 0.18 to 1.x): make a trace of it with TraceBuilder, a part of Hadoop's Rumen")
	}
	schema, err := input.Line(in, maxEvent)
	if err != nil {
		return nil, fmt.Errorf("the schema in line 2 is missing: %w", err)
	}
	if format == "Avro-Json" {
		return jsonEvents(in), nil
	}
	return avroEvents(in, schema)
}

// jsonEvents reads events in Avro's JSON encoding.
func jsonEvents(in *bufio.Reader) events {
	return func() (v any, err error) {
		line, err := input.Line(in, maxEvent)
		cut := errors.Is(err, io.ErrUnexpectedEOF)
		switch {
		case err != nil && !cut:
			return nil, err
		case len(bytes.TrimSpace(line)) == 0, json.Unmarshal(line, &v) == nil:
			return v, nil // a complete event even if the line's end is missing
		case cut:
			return nil, io.ErrUnexpectedEOF
		}
		return nil, errBad
	}
}
