package tape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A Kind is what kind of recording a file is.
type Kind uint8

// The kinds of recordings.
const (
	Unknown Kind = iota
	Tape         // ours: snapshots
	Capture      // raw REST answers: lines with the keys t, url, status and body
)

func (k Kind) String() string {
	names := [...]string{"unknown", "tape", "capture"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("unknown(%d)", k)
}

// Sniff tells a tape from a capture by the keys of its first line. It returns a reader of all of r, unzipped.
func Sniff(r io.Reader) (Kind, io.Reader, error) {
	in, err := gunzip(r)
	if err != nil {
		return Unknown, nil, fmt.Errorf("recording: %w", err)
	}
	// A capture's body may be long, but its other keys are not; whatever does not fit the buffer is not looked at.
	head, err := in.Peek(in.Size())
	if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return Unknown, nil, fmt.Errorf("recording: %w", err)
	}
	if end := bytes.IndexByte(head, '\n'); end >= 0 {
		head = head[:end]
	}
	return kindOf(head), in, nil
}

func kindOf(head []byte) Kind {
	keys := map[string]bool{}
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return Unknown
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
	switch {
	case keys["paratimer_tape"]:
		return Tape
	case keys["t"] && keys["url"] && (keys["status"] || keys["body"]):
		return Capture
	}
	return Unknown
}
