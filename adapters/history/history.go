// Package history reads the histories of finished MapReduce jobs and replays them, as if a live watcher had observed
// the jobs.
//
// It reads the history files of MapReduce's masters (.jhist) in text and binary form, those of the JobTracker of Hadoop
// 0.18 to 1.x, and Rumen traces. All formats become events (see event), which build a Job (see transitions). The jobs
// of one workflow make a Source. At each instant, its snapshots show only what a live watcher could have known.
// Warnings list the facts that a history does not contain.
//
// Files of different versions have different fields; a missing field is unknown.
package history

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

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
		return readEvents(all)
	case kind == recording.Trace:
		return readTrace(all)
	case kind == recording.EventLog:
		return nil, errEventLog
	}
	return nil, ErrOther
}

// An events is a stream of events. next returns io.EOF after the last one, io.ErrUnexpectedEOF if the file is cut off
// within an event, and errBad for an unusable event that later ones may follow.
type events interface {
	next(*event) error
}

// readEvents reads a history file. If it is cut off, the last job has Torn set. Only JobTracker files can have several
// jobs.
func readEvents(r io.Reader) (jobs []*Job, err error) {
	from, err := open(bufio.NewReaderSize(r, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("jhist: %w", err)
	}
	b := newBuilder(from)
	var run input.Streak
	for n := 1; n <= maxEvents && len(jobs) < maxJobs; n++ {
		var e event
		err := from.next(&e)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			err := b.finish(!errors.Is(err, io.EOF))
			return append(jobs, b.job), err
		case errors.Is(err, errBad):
			b.bad++
			err = run.Bad()
		case err == nil:
			run.Good()
			if b.begins(&e) {
				if err := b.finish(false); err != nil {
					return nil, err
				}
				jobs, b = append(jobs, b.job), newBuilder(from)
			}
			b.take(&e)
		}
		if err != nil {
			return nil, fmt.Errorf("jhist: event %d: %w", n, err)
		}
	}
	return nil, errors.New("jhist: too many events or jobs: split the file")
}

// open returns the events of a file. The first line of a master's file is Avro-Json or Avro-Binary, the second is the
// schema of its events. The events follow: as JSON, one per line with empty lines between, or as bare Avro records
// without a container (docs/facts/hadoop.md D). A JobTracker's file has neither line.
func open(in *bufio.Reader) (events, error) {
	format, err := line(in, maxEvent)
	if first := strings.Trim(format, " \f"); trackerRecord.MatchString(first) || strings.HasPrefix(first, "!!FILE=") {
		return &trackerEvents{in: in, ahead: first, cut: errors.Is(err, io.ErrUnexpectedEOF)}, nil
	}
	if err != nil || format != "Avro-Json" && format != "Avro-Binary" {
		return nil, errors.New(
			"not a history file: its first line is neither Avro-Json nor Avro-Binary, nor does it begin as a JobTracker's (Meta VERSION)")
	}
	schema, err := line(in, maxEvent)
	if err != nil {
		return nil, fmt.Errorf("the schema in line 2 is missing: %w", err)
	}
	if format == "Avro-Json" {
		return &jsonEvents{in}, nil
	}
	codec, err := codecOf(schema)
	if err != nil {
		return nil, fmt.Errorf("the schema in line 2: %w", err)
	}
	return &avroEvents{in, codec}, nil
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
		case errors.Is(err, io.EOF) && len(b) > 0:
			return string(b), io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}
