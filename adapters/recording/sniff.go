package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/paratimer/paratimer/adapters/internal/eventlog"
	"github.com/paratimer/paratimer/adapters/internal/input"
)

// A Kind is the kind of a recording.
type Kind uint8

// The kinds of recordings.
const (
	Unknown        Kind = iota
	OfObservations      // a recording of observations, or an old tape
	OfAnswers           // a recording of answers, or an old capture: lines with the keys t, url, status and body
	// History is a MapReduce job's history file. It begins with Avro-Json or Avro-Binary, or is one of a JobTracker.
	History
	Trace // a Rumen trace: JSON objects of jobs, one after another
	// EventLog is a listener log of Spark with one JSON event per line. Package spark handles compressed logs and
	// folders.
	EventLog
)

func (k Kind) String() string {
	names := [...]string{"unknown", "observations", "answers", "job history", "rumen trace", "event log"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("unknown(%d)", k)
}

// Sniff identifies ParaTimer's recordings by the keys of the first line, and other recordings by their beginning. It
// returns a reader of all of r, uncompressed and without a byte order mark. Blank lines and XML comments before job
// history are left out too, because editors and license checkers add them.
func Sniff(r io.Reader) (Kind, io.Reader, error) {
	in, err := input.Unpack(r, readSize)
	if err != nil {
		return Unknown, nil, fmt.Errorf("recording: %w", err)
	}
	// The body of an answer may be long, but its other keys are short. Data beyond the buffer is not inspected.
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

// foreign identifies the formats of other programs.
func foreign(head []byte) Kind {
	first, _, _ := bytes.Cut(head, []byte("\n"))
	switch string(bytes.TrimRight(first, "\r ")) {
	case "Avro-Json", "Avro-Binary":
		return History
	}
	// A JobTracker's history, also several in one file.
	for _, start := range []string{`Meta VERSION="`, `Job JOBID="`, "!!FILE="} {
		if bytes.HasPrefix(first, []byte(start)) {
			return History
		}
	}
	// Rumen's order of job fields differs between versions. These fields are always among the first dozen.
	has := keysOf(head).has
	if has("jobID") && (has("submitTime") || has("mapTasks") || has("jobName") || has("user")) {
		return Trace
	}
	return Unknown
}

func kindOf(head []byte) Kind {
	keys := keysOf(head)
	has := keys.has
	switch {
	case has("paratimer_recording") && string(keys["of"]) == `"`+wordAnswers+`"`,
		has("t") && has("url") && (has("status") || has("body")):
		return OfAnswers
	case has("paratimer_recording"), has("paratimer_tape"):
		return OfObservations
	case eventlog.IsLog(head):
		return EventLog
	}
	return Unknown
}

// members are the values of an object by their keys.
type members map[string]json.RawMessage

func (m members) has(key string) bool { _, has := m[key]; return has }

// keysOf returns the members of the JSON object at the beginning of head, which may be cut off. The value of the last
// one may be missing.
func keysOf(head []byte) members {
	keys := members{}
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
		var v json.RawMessage
		err = d.Decode(&v)
		if keys[key] = v; err != nil {
			break
		}
	}
	return keys
}
