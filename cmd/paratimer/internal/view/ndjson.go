// Package view shows frames: lines for people and NDJSON for programs. It computes nothing; it rounds, formats and
// escapes the content of a frame.
package view

import (
	"encoding/json"
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
)

// NDJSON writes each frame as one line of JSON.
type NDJSON struct{ enc *json.Encoder }

// NewNDJSON returns an NDJSON that writes to w, one write a frame.
func NewNDJSON(w io.Writer) NDJSON {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return NDJSON{enc}
}

// Show writes the frame.
func (n NDJSON) Show(tick frame.Tick) error { return n.enc.Encode(tick.Frame) }
