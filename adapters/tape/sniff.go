package tape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/adapters/internal/eventlog"
	"github.com/paratimer/paratimer/adapters/internal/input"
)

// A Kind is what kind of recording a file is.
type Kind uint8

// The kinds of recordings.
const (
	Unknown Kind = iota
	Tape         // ours: snapshots
	Capture      // raw REST answers: lines with the keys t, url, status and body
	// a MapReduce job's history file: its first line is Avro-Json or Avro-Binary, or it is one of a JobTracker's
	History
	Trace // a Rumen trace: JSON objects of jobs, one after the other
	// a listener log of Spark: JSON objects of events, one a line; package spark knows packed ones and folders
	EventLog
)

func (k Kind) String() string {
	names := [...]string{"unknown", "tape", "capture", "job history", "rumen trace", "event log"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("unknown(%d)", k)
}

// Sniff tells recordings apart: tapes and captures by the keys of the first line, the others by how they begin. It
// returns a reader of all of r, unpacked, without a byte order mark. Before job history, blank lines and XML comments
// are left out too: editors and checks of licences put them there.
func Sniff(r io.Reader) (Kind, io.Reader, error) {
	in, err := input.Unpack(r, readSize)
	if err != nil {
		return Unknown, nil, fmt.Errorf("recording: %w", err)
	}
	// A capture's body may be long, but its other keys are not; whatever does not fit the buffer is not looked at.
	head, err := in.Peek(in.Size())
	if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return Unknown, nil, fmt.Errorf("recording: %w", err)
	}
	rest := bytes.TrimPrefix(head, []byte("\ufeff"))
	first, _, _ := bytes.Cut(rest, []byte("\n"))
	kind := kindOf(first)
	if kind == Unknown {
		history := withoutComments(rest)
		if kind = foreign(history); kind != Unknown {
			rest = history
		}
	}
	_, err = in.Discard(len(head) - len(rest))
	return kind, in, err
}

// withoutComments returns what follows blank lines and XML comments.
func withoutComments(b []byte) []byte {
	for {
		b = bytes.TrimLeft(b, " \t\r\n\f")
		_, after, ok := bytes.Cut(b, []byte("-->"))
		if !ok || !bytes.HasPrefix(b, []byte("<!--")) {
			return b
		}
		b = after
	}
}

// foreign knows the beginnings of what others write.
func foreign(head []byte) Kind {
	first, _, _ := bytes.Cut(head, []byte("\n"))
	switch string(bytes.TrimRight(first, "\r ")) {
	case "Avro-Json", "Avro-Binary":
		return History
	}
	// a JobTracker's, and several in one file
	for _, start := range []string{`Meta VERSION="`, `Job JOBID="`, "!!FILE="} {
		if bytes.HasPrefix(first, []byte(start)) {
			return History
		}
	}
	// Rumen writes a job's fields in the order of its class, which has changed: these are always among the first dozen.
	keys := keysOf(head)
	if keys["jobID"] && (keys["submitTime"] || keys["mapTasks"] || keys["jobName"] || keys["user"]) {
		return Trace
	}
	return Unknown
}

func kindOf(head []byte) Kind {
	keys := keysOf(head)
	switch {
	case keys["paratimer_tape"]:
		return Tape
	case keys["t"] && keys["url"] && (keys["status"] || keys["body"]):
		return Capture
	case eventlog.IsLog(head):
		return EventLog
	}
	return Unknown
}

// keysOf collects the keys of the object that head begins with, as far as it goes.
func keysOf(head []byte) map[string]bool {
	keys := map[string]bool{}
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return keys
	}
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			break
		}
		keys[key] = true
		var v json.RawMessage
		if d.Decode(&v) != nil {
			break // the key counts, its value goes on beyond head
		}
	}
	return keys
}
