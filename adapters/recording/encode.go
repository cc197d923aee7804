package recording

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/paratimer/paratimer/adapters/recording/internal/delta"
	"github.com/paratimer/paratimer/dag"
)

// The encoder writes a whole line once the lines since the last one have wholeFactor times its size, and at least
// wholeFloor bytes. Whole lines are then a small part of a recording.
const (
	wholeFactor = 8
	wholeFloor  = 16 << 10
)

// An encoder encodes observations as lines. The caller must not change the snapshots.
type encoder struct {
	n      int64
	before *dag.Snapshot // previous snapshot; nil: the next line is whole
	since  int           // bytes since the last whole line
	weight int           // bytes of the last whole line
	buffer []byte        // of the last line
	// factor and floor are wholeFactor and wholeFloor, except in tests.
	factor, floor int
}

func newEncoder() encoder { return encoder{factor: wholeFactor, floor: wholeFloor} }

// missed returns the line of a missed observation.
func (e *encoder) missed(m *dag.MissedError) ([]byte, error) {
	e.n++
	b := delta.AppendText(append(e.begin(m.At), `,"missed":`...), m.Err.Error())
	return append(b, "}\n"...), nil
}

// snapshot returns the line of s. It is valid until the next line.
func (e *encoder) snapshot(s *dag.Snapshot) ([]byte, error) {
	e.n++
	old := e.before
	e.before = nil // after an error, the next line is whole
	if err := check(s); err != nil {
		return nil, fmt.Errorf("recording: the observation %d cannot be written: %w", e.n, err)
	}
	b := e.begin(s.At)
	whole := old == nil || e.since > max(e.floor, e.factor*e.weight)
	if whole {
		old, b = blank(), append(b, `,"whole":true`...)
	}
	now := *s
	now.At = old.At // the line has it
	b = append(b, `,"s":`...)
	length := len(b)
	if b = delta.Append(b, old, &now); len(b) == length {
		b = append(b, "{}"...)
	}
	b = append(b, "}\n"...)
	e.buffer = b
	if len(b) > maxLine {
		return nil, fmt.Errorf("recording: the observation %d takes %d bytes, more than the %d of a line", e.n, len(b), maxLine)
	}
	if e.before = s; whole {
		e.since, e.weight = 0, len(b)
	} else {
		e.since += len(b)
	}
	return b, nil
}

// begin returns what every line begins with.
func (e *encoder) begin(at dag.Instant) []byte {
	b := append(strconv.AppendInt(append(e.buffer[:0], `{"n":`...), e.n, 10), `,"t":`...)
	if !at.Known() {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(at), 10)
}

// headerOf returns the first line of a recording.
func headerOf(what string) []byte {
	b, _ := json.Marshal(header{Version: Version, Of: what}) // it has a number and a word
	return append(b, '\n')
}
